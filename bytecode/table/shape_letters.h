// What the letters of the shape column stand for in one instruction.
#pragma once

namespace nvm {

template <typename T>
class ShapeLetters {
 public:
  explicit constexpr ShapeLetters(T none) {  // that of a letter that stands for nothing yet
    for (T& x : at_) x = none;
  }
  constexpr T& operator()(char letter) { return at_[letter & 31]; }  // different for different ones

 private:
  T at_[32];
};

}  // namespace nvm
