from anabranch.cli import main

main()
