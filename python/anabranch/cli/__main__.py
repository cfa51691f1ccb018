from anabranch.cli.main import main

main()
