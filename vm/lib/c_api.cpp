#include <exception>
#include <stdexcept>

#include "bytecode/base/extent.h"
#include "vm/lib/nvm.h"
#include "vm/lib/nvm.hpp"

struct nvm_program {
  nvm::lib::Program program;
};
struct nvm_vm {
  nvm::lib::Vm vm;
};
struct nvm_value {
  nvm::lib::Value value;
};
struct nvm_results {
  nvm::lib::Run run;
};

namespace {

using namespace nvm::lib;

thread_local std::string last_error;

// Nothing is thrown into C: what only the system could cause becomes an error text.
template <typename F>
auto guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::exception& e) {
    last_error = std::string("nvm: ") + e.what() + "\n";
    return nullptr;
  }
}

void check_inputs(const void* inputs, int count) {
  if (count < 0) throw std::invalid_argument(std::to_string(count) + " inputs");
  if (inputs == nullptr && count > 0) throw std::invalid_argument("the inputs are NULL");
}

std::vector<std::string> folders(const char* const* names, int count) {
  if (count < 0 || (names == nullptr && count > 0)) throw std::invalid_argument("folders without names");
  for (int i = 0; i < count; ++i)
    if (names[i] == nullptr) throw std::invalid_argument("a folder without a name");
  return {names, names + count};
}

LoadOptions load_options(const nvm_load_options* given) {
  LoadOptions options;
  if (given == nullptr) return options;
  if (given->int_bits != 0) options.int_bits = given->int_bits;
  if (given->function != nullptr) options.function = given->function;
  check_inputs(given->inputs, given->input_count);
  for (int i = 0; i < given->input_count; ++i) options.inputs.push_back(static_cast<Kind>(given->inputs[i]));
  return options;
}

nvm_program* loaded(Result<Program> program) {
  if (program) return new nvm_program{std::move(*program)};
  last_error = program.failure().message;
  return nullptr;
}

void check_count(const void* elements, std::int64_t n) {
  if (!nvm::is_length(n)) throw std::invalid_argument("a vector of " + std::to_string(n) + " elements");
  if (elements == nullptr && n > 0) throw std::invalid_argument("the elements are NULL");
}

template <typename T>
std::span<const T> elements_of(const T* elements, std::int64_t n) {
  check_count(elements, n);
  return {elements, static_cast<std::size_t>(n)};
}

nvm_value* handle(Value value) { return new nvm_value{std::move(value)}; }

}  // namespace

nvm_program* nvm_load_text(const char* text, size_t size, const char* name, const nvm_load_options* options) {
  return guarded([&] {
    if (text == nullptr || name == nullptr) throw std::invalid_argument("a program without text or name");
    return loaded(Program::from_text({text, size}, name, load_options(options)));
  });
}
nvm_program* nvm_load_file(const char* path, const nvm_load_options* options) {
  return guarded([&] {
    if (path == nullptr) throw std::invalid_argument("a program without a path");
    return loaded(Program::from_file(path, load_options(options)));
  });
}
void nvm_program_free(nvm_program* program) { delete program; }

nvm_vm* nvm_new(const nvm_options* given) {
  return guarded([&] {
    Options options;
    if (given != nullptr) {
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
    }
    return new nvm_vm{Vm(options)};
  });
}
void nvm_free(nvm_vm* vm) { delete vm; }
void nvm_cancel(nvm_vm* vm) { vm->vm.cancel(); }

nvm_results* nvm_run(nvm_vm* vm, const nvm_program* program, nvm_value* const* inputs, int input_count) {
  return guarded([&]() -> nvm_results* {
    if (vm == nullptr || program == nullptr)
      throw std::invalid_argument("nvm_run without machine or program");
    check_inputs(inputs, input_count);
    std::vector<Value> values;
    for (int i = 0; i < input_count; ++i) {
      if (inputs[i] == nullptr) throw std::invalid_argument("input " + std::to_string(i) + " is NULL");
      values.push_back(inputs[i]->value);
    }
    auto run = vm->vm.run(program->program, values);
    if (run) return new nvm_results{std::move(*run)};
    last_error = run.failure().message;
    return nullptr;
  });
}
int nvm_results_count(const nvm_results* results) { return static_cast<int>(results->run.values.size()); }
nvm_value* nvm_results_take(nvm_results* results, int i) {
  return guarded([&] { return handle(results->run.values.at(static_cast<std::size_t>(i))); });
}
void nvm_results_free(nvm_results* results) { delete results; }

nvm_value* nvm_make_ints(const int64_t* elements, int64_t n) {
  return guarded([&] { return handle(make_ints(elements_of(elements, n))); });
}
nvm_value* nvm_make_floats(const double* elements, int64_t n) {
  return guarded([&] { return handle(make_floats(elements_of(elements, n))); });
}
nvm_value* nvm_make_bools(const uint8_t* elements, int64_t n) {
  return guarded([&] { return handle(make_bools(elements_of(elements, n))); });
}
nvm_value* nvm_make_segdes(const int64_t* lengths, int64_t n) {
  return guarded([&]() -> nvm_value* {
    auto made = make_segdes(elements_of(lengths, n));
    if (made) return handle(std::move(*made));
    last_error = made.failure().message;
    return nullptr;
  });
}
nvm_value* nvm_foreign_ints(const int64_t* elements, int64_t n, void (*release)(void*), void* user) {
  return guarded([&] {
    check_count(elements, n);
    return handle(foreign(elements, n, release, user));
  });
}
nvm_value* nvm_foreign_floats(const double* elements, int64_t n, void (*release)(void*), void* user) {
  return guarded([&] {
    check_count(elements, n);
    return handle(foreign(elements, n, release, user));
  });
}

nvm_kind nvm_value_kind(const nvm_value* value) { return static_cast<nvm_kind>(value->value.kind()); }
int64_t nvm_value_size(const nvm_value* value) { return value->value.size(); }
int64_t nvm_value_int(const nvm_value* value, int64_t i) { return value->value.int_at(i); }
double nvm_value_float(const nvm_value* value, int64_t i) { return value->value.float_at(i); }
int nvm_value_bool(const nvm_value* value, int64_t i) { return value->value.bool_at(i) ? 1 : 0; }
const void* nvm_value_data(const nvm_value* value) { return value->value.data(); }
int nvm_value_element_bytes(const nvm_value* value) { return value->value.element_bytes(); }
int nvm_value_print(const nvm_value* value, FILE* file) { return value->value.print(file) ? 1 : 0; }
void nvm_value_free(nvm_value* value) { delete value; }

const char* nvm_error(void) { return last_error.c_str(); }
const char* nvm_version(void) { return version(); }
