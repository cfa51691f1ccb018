/* Follows a script: `set NAME VALUE` changes a setting; `expect ID` says what must serve the
   broadcasts from here on (`expect any` for policies); `broadcast all|ends SIZE..` broadcasts so
   many bytes from each root, or from the first and the last. `corrupt` spoils the next results, to
   test the test. */
#include "check.h"

enum { kGuard = 64, kMostBytes = 2 << 20, kLine = 4096 };

static unsigned char* memory;
static char expected[kLine] = "any";
static int corrupt;
static unsigned seed;

static void broadcast(int root, size_t bytes) {
  ++seed;
  unsigned char* data = memory + kGuard;
  memset(memory, 0xEE, bytes + 2 * kGuard);
  for (size_t i = 0; rank == root && i < bytes; ++i) data[i] = test_byte(i, seed);
  int const error = MPI_Bcast(data, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  check(error == MPI_SUCCESS, "error %d from %s, root %d, %zu B", error, expected, root, bytes);
  if (size > 1 && bytes > 0 && strcmp(expected, "any") != 0) {
    check(was_served_by(expected), "served by %s instead of %s", last_choice(), expected);
  }
  if (corrupt && rank == size - 1 && bytes > 0) data[bytes - 1] ^= 1;
  size_t wrong = 0;
  for (size_t i = 0; i < bytes; ++i) wrong += data[i] != test_byte(i, seed);
  check(wrong == 0, "%zu of %zu B wrong from %s, root %d", wrong, bytes, expected, root);
  wrong = 0;
  for (size_t i = 0; i < kGuard; ++i) wrong += (memory[i] != 0xEE) + (data[bytes + i] != 0xEE);
  check(wrong == 0, "%s wrote around the buffer, root %d, %zu B", expected, root, bytes);
}

static void follow(char* line) {
  char* word = strtok(line, " \n");
  if (word == NULL) return;
  if (strcmp(word, "set") == 0) {
    char* name = strtok(NULL, " \n");
    set(name, strtok(NULL, " \n"));
  } else if (strcmp(word, "expect") == 0) {
    strcpy(expected, strtok(NULL, " \n"));
  } else if (strcmp(word, "corrupt") == 0) {
    corrupt = 1;
  } else {
    int const step = strcmp(strtok(NULL, " \n"), "ends") == 0 && size > 1 ? size - 1 : 1;
    for (char* bytes; (bytes = strtok(NULL, " \n")) != NULL;) {
      for (int root = 0; root < size; root += step) broadcast(root, (size_t)atol(bytes));
    }
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  memory = malloc(kMostBytes + 2 * kGuard);
  FILE* script = fopen(argv[1], "r");
  char line[kLine];
  while (fgets(line, sizeof line, script) != NULL) follow(line);
  fclose(script);
  free(memory);
  return finish();
}
