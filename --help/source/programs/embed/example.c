/* Embedding nvm in C: sums the segments of a vector that stays in this program's memory. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vm/lib/nvm.h"

int main(void) {
  const char* text = "FUNC SUMS +_REDUCE INT RET"; /* finds a vector and a descriptor on the stack */
  const nvm_kind kinds[] = {NVM_INT, NVM_SEGDES};
  const nvm_load_options load = {64, NULL, kinds, 2};
  nvm_program* program = nvm_load_text(text, strlen(text), "sums", &load);
  if (program == NULL) {
    fputs(nvm_error(), stderr);
    return 1;
  }

  int64_t elements[1000];
  for (int i = 0; i < 1000; ++i) elements[i] = i + 1;
  const int64_t lengths[] = {400, 0, 600};
  nvm_value* inputs[] = {nvm_foreign_ints(elements, 1000, NULL, NULL), nvm_make_segdes(lengths, 3)};
  nvm_vm* vm = nvm_new(NULL);
  nvm_results* results = nvm_run(vm, program, inputs, 2);
  if (results == NULL) {
    fputs(nvm_error(), stderr);
    return 1;
  }
  nvm_value* sums = nvm_results_take(results, 0);
  for (int64_t i = 0; i < nvm_value_size(sums); ++i) printf("%" PRId64 "\n", nvm_value_int(sums, i));

  nvm_value_free(sums);
  nvm_results_free(results);
  nvm_value_free(inputs[0]);
  nvm_value_free(inputs[1]);
  nvm_free(vm);
  nvm_program_free(program);
  return 0;
}
