/* A program without MPI that loads a part with MPI where nobody else sees its symbols. The part is
   broadcast.c, as a shared library. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* part = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (part == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  int (*run)(int, char**) = (int (*)(int, char**))dlsym(part, "main");
  return run(argc, argv);
}
