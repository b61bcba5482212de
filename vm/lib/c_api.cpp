#include <cstring>
#include <type_traits>

#include "vm/lib/c_handles.h"

namespace nvm::lib {

namespace {

std::vector<std::string> folders(const char* const* names, int count) {
  if (count < 0) refuse(std::to_string(count) + " folders");
  if (names == nullptr && count > 0) refuse("the folders are NULL");
  for (int i = 0; i < count; ++i)
    if (names[i] == nullptr) refuse("folder " + std::to_string(i) + " is NULL");
  return {names, names + count};
}

// In C an enum is any number, in C++ one of its own alone.
std::int64_t number_of(const nvm_kind& kind) {
  std::underlying_type_t<nvm_kind> number = 0;
  std::memcpy(&number, &kind, sizeof number);
  return static_cast<std::int64_t>(number);
}

LoadOptions load_options(const nvm_load_options* given) {
  LoadOptions options;
  if (given == nullptr) return options;
  if (given->int_bits != 0) options.int_bits = given->int_bits;
  if (given->function != nullptr) options.function = given->function;
  check_inputs(given->inputs, given->input_count);
  for (int i = 0; i < given->input_count; ++i) {
    const std::int64_t kind = number_of(given->inputs[i]);
    if (kind < NVM_INT || kind >= NVM_PAIR)
      refuse("input " + std::to_string(i) + " is neither a vector nor a descriptor");
    options.inputs.push_back(static_cast<Kind>(kind));
  }
  return options;
}

}  // namespace

void check_inputs(const void* inputs, int count) {
  if (count < 0) refuse(std::to_string(count) + " inputs");
  if (inputs == nullptr && count > 0) refuse("the inputs are NULL");
}

void check_count(const void* elements, std::int64_t n) {
  if (!nvm::is_length(n)) refuse("a vector of " + std::to_string(n) + " elements");
  if (elements == nullptr && n > 0) refuse("the elements are NULL");
}

nvm_value* handle(Value value) {
  if (!value) throw std::bad_alloc();
  return new nvm_value{std::move(value)};
}

Options options_of(const nvm_options* given) {
  Options options;
  if (given == nullptr) return options;
  if (!(given->time_limit >= 0)) refuse("a time limit of " + std::to_string(given->time_limit) + " seconds");
  if (given->threads < 0) refuse(std::to_string(given->threads) + " threads");
  if (given->max_depth < 0) refuse("a depth of " + std::to_string(given->max_depth) + " calls");
  options.threads = given->threads;
  options.memory = given->memory;
  options.max_depth = given->max_depth;
  options.time_limit = given->time_limit;
  if (given->seeded != 0) options.seed = given->seed;
  options.fuel = given->fuel;
  options.output_limit = given->output_limit;
  options.untrusted = given->untrusted != 0;
  options.allow.read = folders(given->allow.read, given->allow.read_count);
  options.allow.write = folders(given->allow.write, given->allow.write_count);
  options.allow.spawn = given->allow.spawn != 0;
  return options;
}

}  // namespace nvm::lib

using namespace nvm::lib;

nvm_program* nvm_load_text(const char* text, size_t size, const char* name, const nvm_load_options* options) {
  return guarded_c([&] {
    if (text == nullptr || name == nullptr) refuse("a program without text or name");
    return handle_of<nvm_program>(Program::from_text({text, size}, name, load_options(options)));
  });
}
nvm_program* nvm_load_file(const char* path, const nvm_load_options* options) {
  return guarded_c([&] {
    if (path == nullptr) refuse("a program without a path");
    return handle_of<nvm_program>(Program::from_file(path, load_options(options)));
  });
}
void nvm_program_free(nvm_program* program) { delete program; }

nvm_vm* nvm_new(const nvm_options* given) {
  return guarded_c([&] { return new nvm_vm{Vm(options_of(given))}; });
}
void nvm_free(nvm_vm* vm) { delete vm; }
void nvm_cancel(nvm_vm* vm) {
  if (vm != nullptr) vm->vm.cancel();
}

nvm_results* nvm_run(nvm_vm* vm, const nvm_program* program, nvm_value* const* inputs, int input_count) {
  return guarded_c([&]() -> nvm_results* {
    if (vm == nullptr || program == nullptr) refuse("nvm_run without machine or program");
    check_inputs(inputs, input_count);
    std::vector<Value> values;
    for (int i = 0; i < input_count; ++i) {
      if (inputs[i] == nullptr) refuse("input " + std::to_string(i) + " is NULL");
      values.push_back(inputs[i]->value);
    }
    return handle_of<nvm_results>(vm->vm.run(program->program, values));
  });
}
int nvm_results_count(const nvm_results* results) {
  return results == nullptr ? 0 : static_cast<int>(results->run.values.size());
}
nvm_value* nvm_results_take(nvm_results* results, int i) {
  return guarded_c([&] {
    if (results == nullptr) refuse("the results are NULL");
    const auto& values = results->run.values;
    if (i < 0 || static_cast<std::size_t>(i) >= values.size())
      refuse("there is no result " + std::to_string(i));
    return handle(values[static_cast<std::size_t>(i)]);
  });
}
void nvm_results_free(nvm_results* results) { delete results; }

nvm_value* nvm_make_ints(const int64_t* elements, int64_t n) {
  return guarded_c([&] { return handle(make_ints(elements_of(elements, n))); });
}
nvm_value* nvm_make_floats(const double* elements, int64_t n) {
  return guarded_c([&] { return handle(make_floats(elements_of(elements, n))); });
}
nvm_value* nvm_make_bools(const uint8_t* elements, int64_t n) {
  return guarded_c([&] { return handle(make_bools(elements_of(elements, n))); });
}
nvm_value* nvm_make_segdes(const int64_t* lengths, int64_t n) {
  return guarded_c([&] { return handle_of<nvm_value>(make_segdes(elements_of(lengths, n))); });
}
nvm_value* nvm_foreign_ints(const int64_t* elements, int64_t n, void (*release)(void*), void* user) {
  return guarded_c([&] {
    check_count(elements, n);
    return handle(foreign(elements, n, release, user));
  });
}
nvm_value* nvm_foreign_floats(const double* elements, int64_t n, void (*release)(void*), void* user) {
  return guarded_c([&] {
    check_count(elements, n);
    return handle(foreign(elements, n, release, user));
  });
}

nvm_kind nvm_value_kind(const nvm_value* value) {
  return value == nullptr ? NVM_INT : static_cast<nvm_kind>(value->value.kind());
}
int64_t nvm_value_size(const nvm_value* value) { return value == nullptr ? 0 : value->value.size(); }
int64_t nvm_value_int(const nvm_value* value, int64_t i) {
  return value == nullptr ? 0 : value->value.int_at(i);
}
double nvm_value_float(const nvm_value* value, int64_t i) {
  return value == nullptr ? 0 : value->value.float_at(i);
}
int nvm_value_bool(const nvm_value* value, int64_t i) {
  return value != nullptr && value->value.bool_at(i) ? 1 : 0;
}
const void* nvm_value_data(const nvm_value* value) {
  return value == nullptr ? nullptr : value->value.data();
}
int nvm_value_element_bytes(const nvm_value* value) {
  return value == nullptr ? 0 : value->value.element_bytes();
}
int nvm_value_print(const nvm_value* value, FILE* file) {
  return value != nullptr && value->value.print(file) ? 1 : 0;
}
void nvm_value_free(nvm_value* value) { delete value; }

const char* nvm_version(void) { return version(); }
