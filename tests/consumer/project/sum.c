#include <inttypes.h>
#include <nvm/nvm.h>
#include <string.h>

int main(void) {
  const char* text = "FUNC SUM COPY 1 0 LENGTH INT MAKE_SEGDES +_REDUCE INT RET";
  const nvm_kind kinds[] = {NVM_INT};
  const nvm_load_options load = {64, NULL, kinds, 1};
  const int64_t elements[] = {1, 2, 3};
  nvm_program* program = nvm_load_text(text, strlen(text), "sum", &load);
  nvm_vm* vm = nvm_new(NULL);
  nvm_value* input = nvm_make_ints(elements, 3);
  nvm_results* results = program == NULL ? NULL : nvm_run(vm, program, &input, 1);
  if (results == NULL) {
    fputs(nvm_error(), stderr);
    return 1;
  }
  nvm_value* sum = nvm_results_take(results, 0);
  printf("%" PRId64 "\n", nvm_value_int(sum, 0));
  nvm_value_free(sum);
  nvm_results_free(results);
  nvm_value_free(input);
  nvm_free(vm);
  nvm_program_free(program);
  return 0;
}
