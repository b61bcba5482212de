// Programs in which vectors may stay delayed.
#pragma once

#include <cstdint>
#include <string>

namespace nvm::testing {

constexpr std::int64_t kMany = 40'000;

inline std::string one(std::int64_t x) { return "CONST INT " + std::to_string(x) + " "; }
inline std::string descriptor(std::int64_t n) { return one(n) + "MAKE_SEGDES "; }
inline std::string counted(std::int64_t from, std::int64_t n = kMany, std::int64_t by = 1) {
  return one(from) + one(by) + descriptor(n) + "INDEX ";
}
inline std::string all(std::int64_t x, std::int64_t n = kMany) {
  return one(x) + descriptor(n) + "DIST INT ";
}
// Counted up by a number that has no factor in common with 40000, and around: all places, each once.
inline std::string places() { return counted(0, kMany, 7919) + all(kMany) + "% "; }
inline std::string permute() { return descriptor(kMany) + "PERMUTE INT "; }

// A function that calls itself, lest it be inlined, permutes what it is given, and passes that on.
inline std::string permuted_twice(const std::string& v, const std::string& by = places()) {
  return "FUNC MAIN " + v + by + one(2) + "CALL AGAIN RET " +
         "FUNC AGAIN COPY 1 0 CONST INT 0 = INT IF POP 1 0 POP 1 0 ELSE CONST INT 1 - INT CPOP 1 2 COPY 1 "
         "2 " +
         permute() + "CPOP 1 2 CPOP 1 2 CALL AGAIN ENDIF RET";
}

// The OR of elements below 200, then what is left of them.
inline std::string masked(const std::string& by, std::int64_t x, const std::string& then) {
  return places() + all(200) + "% COPY 1 0 " + descriptor(kMany) + "OR_REDUCE INT COPY 1 1 " + all(x) + by +
         " " + then;
}

}  // namespace nvm::testing
