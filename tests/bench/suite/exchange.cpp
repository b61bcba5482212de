#include "tests/bench/suite/exchange.h"

#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace nvm::bench {

namespace {

std::filesystem::path fresh_folder() {
  std::string name = std::filesystem::temp_directory_path() / "nvm_bench_XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder like " + name);
  return name;
}

std::string result_name(std::size_t part) { return "result." + std::to_string(part) + ".npy"; }

}  // namespace

Exchange::Exchange(const Instance& instance) : folder_(fresh_folder()), check_(instance.check) {
  for (const Input& input : instance.inputs)
    for (std::size_t k = 0; k < input.slots.size(); ++k) {
      const std::string path = folder_ / (input.name + "." + std::to_string(k) + ".npy");
      if (const auto wrong = lib::write_value(path, input.slots[k])) throw std::runtime_error(*wrong);
    }
}

Exchange::~Exchange() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Exchange::forget() const {
  for (std::size_t k = 0; k < kParts; ++k) std::filesystem::remove(folder_ / result_name(k));
}

std::optional<std::string> Exchange::check() const {
  std::vector<lib::Value> parts(kParts, lib::make_bools({}));  // a part that is missing is never right
  bool any = false;
  for (std::size_t k = 0; k < kParts; ++k) {
    const std::filesystem::path path = folder_ / result_name(k);
    if (!std::filesystem::exists(path)) continue;
    any = true;
    auto values = lib::read_values(path);
    if (!values) return values.failure().message;
    if (values->size() != 1) return result_name(k) + " is no vector";
    parts[k] = values->front();
  }
  if (!any) return std::nullopt;
  return check_(parts);
}

}  // namespace nvm::bench
