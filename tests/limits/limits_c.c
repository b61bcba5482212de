/* The limits of libnvm from C: of loading, values and runs. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "vm/lib/nvm.h"

static int failures = 0;
static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "FAILED: %s: %s", what, nvm_error());
  ++failures;
}

/* FUNC MAIN CONST INT (7 7 7 ...) RET */
static char* long_program(size_t numbers, size_t* size) {
  char* text = malloc(2 * numbers + 100);
  if (text == NULL) exit(2);
  char* at = text + sprintf(text, "FUNC MAIN CONST INT (");
  for (size_t i = 0; i < numbers; ++i) *at++ = '7', *at++ = ' ';
  at += sprintf(at, ") RET");
  *size = (size_t)(at - text);
  return text;
}

static void* end_elsewhere(void* limits) { return nvm_limits_end(limits) != 0 ? limits : NULL; }

int main(void) {
  size_t size;
  char* text = long_program(4000000, &size);

  nvm_limits* limits = nvm_limits_begin(20u << 20, 0);
  check(limits != NULL, "limits");
  check(nvm_load_text(text, size, "long", NULL) == NULL, "a program larger than the limit is refused");
  check(strstr(nvm_error(), "memory") != NULL, "it is for memory");
  nvm_limits* inner = nvm_limits_begin(100u << 20, 0);
  check(nvm_load_text(text, size, "long", NULL) == NULL, "an inner limit cannot have more");
  check(nvm_limits_end(limits) != 0, "the innermost ends first");
  check(nvm_limits_end(inner) == 0, "the inner limit ends");
  pthread_t thread;
  void* refused = NULL;
  if (pthread_create(&thread, NULL, end_elsewhere, limits) != 0) return 2;
  pthread_join(thread, &refused);
  check(refused != NULL, "limits end on their thread");
  check(nvm_limits_end(limits) == 0, "the limit ends");

  nvm_program* program = nvm_load_text(text, size, "long", NULL);
  check(program != NULL, "without the limit it is loaded");
  nvm_program_free(program);

  const char endless[] = "FUNC MAIN CALL MAIN RET";
  program = nvm_load_text(endless, strlen(endless), "endless", NULL);
  limits = nvm_limits_begin(0, 0.1);
  nvm_vm* vm = nvm_new(NULL);
  check(nvm_run(vm, program, NULL, 0) == NULL && strstr(nvm_error(), "time limit") != NULL,
        "a run ends in time");
  check(nvm_limits_end(limits) == 0, "the time limit ends");
  nvm_free(vm);
  nvm_program_free(program);

  check(nvm_limits_begin(0, -1) == NULL, "a negative time is refused");
  check(nvm_limits_end(NULL) == 0, "no limits end, too");
  free(text);
  return failures == 0 ? 0 : 1;
}
