/* Stands in for the library to preload: notes in the file WITNESS_FILE which program loaded it. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void note_program(void) {
  char const* path = getenv("WITNESS_FILE");
  FILE* file = path != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  fprintf(file, "%s\n", program_invocation_short_name);
  fclose(file);
}
