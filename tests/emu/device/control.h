// What tests may ask of the emulated device: counts, and failures at chosen points. Settings are words
// NAME=NUMBER with commas between; also taken from NVM_EMU at the start. The counts are written to the file
// NVM_EMU_COUNTS at exit.
//
//   memory=BYTES   of the device
//   no_memory=K    the K-th allocation from now finds no memory
//   full_from=K    so do all from the K-th on
//   short_launch=K the K-th kernel launched from now, other than by a graph, finds no memory
//   bad_launch=K   the K-th kernel launched from now fails when it runs, and the device is lost
//   lose=K         the device is lost at the K-th call from now
//   no_graph=K     the K-th graph made from now cannot be
//   others_first=1 whoever waits for a stream, all others are first brought as far as they come
//   init=CODE      cuInit fails so
//   devices=N      shown
//   cuda=VERSION   that the driver is for, 12040 for 12.4
//   major=N        of the device's compute capability
#pragma once

#include <cstdint>

namespace emu {

struct Counts {
  std::uint64_t calls = 0;
  std::uint64_t waits = 0;  // of the host, for a stream or an event
  std::uint64_t allocations = 0;
  std::uint64_t uploads = 0, upload_bytes = 0;      // of at least kLeast bytes
  std::uint64_t downloads = 0, download_bytes = 0;  // likewise
  std::uint64_t launches = 0;
  std::uint64_t graphs = 0;  // launched; their kernels count as launches
  std::uint64_t graphs_made = 0;
  std::uint64_t joins = 0;                       // streams that wait for another
  std::uint64_t live = 0, peak = 0;              // bytes
  static constexpr std::uint64_t kLeast = 1024;  // scalars and lengths do not count as transfers
};

}  // namespace emu

// Also forgets all counts; live memory stays. A lost device is whole again.
extern "C" void emu_control(const char* settings);
extern "C" void emu_counts(emu::Counts* out);
