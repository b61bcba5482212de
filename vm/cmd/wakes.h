// System calls that wait end where a run is to stop.
#pragma once

namespace nvm::cmd {

// Signals that come again and again: one alone would be lost on a program that was just about to wait.
class Wakes {
 public:
  static void prepare();  // before begin() and end()
  static void begin();    // may be called by a signal's handler
  static void end();
};

}  // namespace nvm::cmd
