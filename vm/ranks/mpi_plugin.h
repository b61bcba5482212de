// What a plug-in for MPI gives to nvm, in C: mpi_plugin.c, compiled against one MPI library, is loaded only
// in programs that a launcher of that library has started. Binary interfaces of MPI libraries differ; this
// one does not.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kNvmMpiInterface = 1 };

// A communicator, the round that is running on it, and the last error.
typedef struct NvmMpiWorld NvmMpiWorld;

// Calls that return int: 0, or -1 with a text from error(). Lengths are in bytes, one for each rank; buffers
// and lengths belong to the round until done() says 1.
typedef struct NvmMpi {
  int interface;  // kNvmMpiInterface
  // Initialises MPI unless the program has. `communicator`: an MPI_Comm of the program, or null for all
  // ranks. What is longer than `piece` travels in pieces. Null, with a text in `why`, if it cannot.
  NvmMpiWorld* (*open)(const void* communicator, int64_t piece, char* why, size_t why_size);
  int (*rank)(const NvmMpiWorld*);
  int (*size)(const NvmMpiWorld*);
  const char* (*library)(const NvmMpiWorld*);  // such as "Open MPI v4.1.4"
  const char* (*error)(const NvmMpiWorld*);

  int (*all_gather)(NvmMpiWorld*, const void* mine, const int64_t* lengths, void* all);
  int (*all_to_all)(NvmMpiWorld*, const void* out, const int64_t* sent, void* in, const int64_t* received);
  int (*shift)(NvmMpiWorld*, const void* out, int64_t sent, void* in, int64_t received);
  int (*broadcast)(NvmMpiWorld*, int from, void* bytes, int64_t length);
  int (*done)(NvmMpiWorld*);  // 1 over, 0 not yet, -1

  // Tells the first two ranks whether this one waits. They can ask with heard(), which fills in a byte for
  // each rank; others get -1.
  void (*tell)(NvmMpiWorld*, int waits);
  int (*heard)(NvmMpiWorld*, unsigned char* waits);

  NvmMpiWorld* (*split)(NvmMpiWorld*, int colour);  // null: error()
  void (*abort)(NvmMpiWorld*, int status);          // of all ranks; does not return
  int (*close)(NvmMpiWorld*);                       // ends MPI, too, if open() began it
} NvmMpi;

// The one function that a plug-in exports, by this name.
const NvmMpi* nvm_mpi_plugin(void);

#ifdef __cplusplus
}
#endif
