// The plug-in for MPI. Compiled by hand, for an MPI that nvm has none for:
//   mpicc -O2 -fPIC -shared -o libnvm_mpi-mine.so mpi_plugin.c
#include "mpi_plugin.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kTag = 1, kListeners = 2, kTextSize = 512 };

struct NvmMpiWorld {
  MPI_Comm comm;
  MPI_Comm side;  // for who waits
  int rank, size;
  int whole;  // of all ranks: closing it ends MPI
  int64_t piece;
  MPI_Request* requests;  // of the round
  int count, room;
  int *counts, *places;  // a collective call's arguments, which live until it is over
  MPI_Request told[kListeners];
  unsigned char saying;
  int told_times;        // messages to each listener
  unsigned char* waits;  // what was heard of each rank
  int* heard;            // messages of each rank
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  char error[kTextSize];
};

static int began;  // this file initialised MPI, and has not ended it

// Keeps the error's text.
static int failed(NvmMpiWorld* w, int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  snprintf(w->error, sizeof w->error, "%.*s", length, text);
  for (char* c = w->error; *c != 0; ++c) {
    if (*c == '\n') *c = ' ';
  }
  return -1;
}

static int no_memory(NvmMpiWorld* w) {
  snprintf(w->error, sizeof w->error, "no memory for a round");
  return -1;
}

#define TRY(call)                                      \
  do {                                                 \
    const int code_ = (call);                          \
    if (code_ != MPI_SUCCESS) return failed(w, code_); \
  } while (0)

// A process that leaves without a word: MPICH's launcher would take it for a success.
static void leaves(int status, void* unused) {
  int over = 0;
  (void)unused;
  if (began && MPI_Finalized(&over) == MPI_SUCCESS && !over)
    MPI_Abort(MPI_COMM_WORLD, status == 0 ? 1 : status);
}

static int begin(char* why, size_t why_size) {
  int initialised = 0;
  int level = 0;
  MPI_Initialized(&initialised);
  if (initialised) return 0;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
    snprintf(why, why_size, "MPI cannot be initialised");
    return -1;
  }
  began = 1;
  on_exit(leaves, NULL);
  return 0;
}

// One request more.
static MPI_Request* request(NvmMpiWorld* w) {
  if (w->count == w->room) {
    const int room = w->room == 0 ? 16 : 2 * w->room;
    MPI_Request* more = realloc(w->requests, (size_t)room * sizeof *more);
    if (more == NULL) return NULL;
    w->requests = more;
    w->room = room;
  }
  w->requests[w->count] = MPI_REQUEST_NULL;
  return &w->requests[w->count++];
}

static void free_world(NvmMpiWorld* w) {
  if (w == NULL) return;
  free(w->requests);
  free(w->counts);
  free(w->waits);
  free(w->heard);
  free(w);
}

static int prepare(NvmMpiWorld* w, MPI_Comm comm) {
  TRY(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  TRY(MPI_Comm_dup(comm, &w->comm));
  TRY(MPI_Comm_dup(comm, &w->side));
  TRY(MPI_Comm_set_errhandler(w->comm, MPI_ERRORS_RETURN));
  TRY(MPI_Comm_set_errhandler(w->side, MPI_ERRORS_RETURN));
  TRY(MPI_Comm_rank(w->comm, &w->rank));
  TRY(MPI_Comm_size(w->comm, &w->size));
  const size_t n = (size_t)w->size;
  w->counts = malloc(2 * n * sizeof *w->counts);
  w->waits = calloc(n, 1);
  w->heard = calloc(n, sizeof *w->heard);
  if (w->counts == NULL || w->waits == NULL || w->heard == NULL) return no_memory(w);
  w->places = w->counts + n;
  for (int i = 0; i < kListeners; ++i) w->told[i] = MPI_REQUEST_NULL;
  int length = 0;
  TRY(MPI_Get_library_version(w->library, &length));
  w->library[strcspn(w->library, ",\n")] = 0;  // Open MPI tells its packager behind a comma
  for (char* c = w->library; *c != 0; ++c) {
    if (*c == '\t') *c = ' ';
  }
  return 0;
}

static NvmMpiWorld* open_world(const void* communicator, int64_t piece, char* why, size_t why_size) {
  if (begin(why, why_size) != 0) return NULL;
  NvmMpiWorld* w = calloc(1, sizeof *w);
  if (w == NULL) {
    snprintf(why, why_size, "no memory");
    return NULL;
  }
  w->whole = 1;
  w->piece = piece > 0 && piece < INT_MAX ? piece : INT64_C(1) << 30;
  if (prepare(w, communicator == NULL ? MPI_COMM_WORLD : *(const MPI_Comm*)communicator) != 0) {
    snprintf(why, why_size, "%s", w->error);
    free_world(w);
    return NULL;
  }
  return w;
}

static int rank_of(const NvmMpiWorld* w) { return w->rank; }
static int size_of(const NvmMpiWorld* w) { return w->size; }
static const char* library_of(const NvmMpiWorld* w) { return w->library; }
static const char* error_of(const NvmMpiWorld* w) { return w->error; }

static int64_t sum_before(const int64_t* lengths, int end) {
  int64_t total = 0;
  for (int r = 0; r < end; ++r) total += lengths[r];
  return total;
}

// Arguments of a collective call.
static void narrow(NvmMpiWorld* w, const int64_t* lengths) {
  int at = 0;
  for (int r = 0; r < w->size; ++r) {
    w->counts[r] = (int)lengths[r];
    w->places[r] = at;
    at += w->counts[r];
  }
}

static int send_pieces(NvmMpiWorld* w, int to, const char* out, int64_t length) {
  for (int64_t at = 0; at < length; at += w->piece) {
    const int64_t n = length - at < w->piece ? length - at : w->piece;
    MPI_Request* r = request(w);
    if (r == NULL) return no_memory(w);
    TRY(MPI_Isend(out + at, (int)n, MPI_BYTE, to, kTag, w->comm, r));
  }
  return 0;
}

static int receive_pieces(NvmMpiWorld* w, int from, char* in, int64_t length) {
  for (int64_t at = 0; at < length; at += w->piece) {
    const int64_t n = length - at < w->piece ? length - at : w->piece;
    MPI_Request* r = request(w);
    if (r == NULL) return no_memory(w);
    TRY(MPI_Irecv(in + at, (int)n, MPI_BYTE, from, kTag, w->comm, r));
  }
  return 0;
}

static int all_gather(NvmMpiWorld* w, const void* mine, const int64_t* lengths, void* all) {
  if (sum_before(lengths, w->size) <= w->piece) {
    MPI_Request* r = request(w);
    if (r == NULL) return no_memory(w);
    narrow(w, lengths);
    TRY(MPI_Iallgatherv(mine, (int)lengths[w->rank], MPI_BYTE, all, w->counts, w->places, MPI_BYTE, w->comm,
                        r));
    return 0;
  }
  char* in = all;
  for (int r = 0; r < w->size; ++r) {
    if (r == w->rank) {
      memcpy(in, mine, (size_t)lengths[r]);
    } else if (receive_pieces(w, r, in, lengths[r]) != 0) {
      return -1;
    }
    in += lengths[r];
  }
  for (int i = 1; i < w->size; ++i) {
    if (send_pieces(w, (w->rank + i) % w->size, mine, lengths[w->rank]) != 0) return -1;
  }
  return 0;
}

// Pairs that have nothing for each other exchange no message, which MPI_Alltoallv does not promise; and
// whether the lengths of all fit into its arguments no rank knows alone.
static int all_to_all(NvmMpiWorld* w, const void* out, const int64_t* sent, void* in,
                      const int64_t* received) {
  const char* from = out;
  char* to = in;
  for (int r = 0; r < w->size; ++r) {
    if (r == w->rank) {
      memcpy(to, from + sum_before(sent, r), (size_t)sent[r]);
    } else if (receive_pieces(w, r, to, received[r]) != 0) {
      return -1;
    }
    to += received[r];
  }
  for (int r = 0; r < w->size; ++r) {
    if (r != w->rank && send_pieces(w, r, from, sent[r]) != 0) return -1;
    from += sent[r];
  }
  return 0;
}

static int shift(NvmMpiWorld* w, const void* out, int64_t sent, void* in, int64_t received) {
  if (receive_pieces(w, w->rank - 1, in, received) != 0) return -1;
  return send_pieces(w, w->rank + 1, out, sent);
}

static int broadcast(NvmMpiWorld* w, int from, void* bytes, int64_t length) {
  for (int64_t at = 0; at < length; at += w->piece) {
    const int64_t n = length - at < w->piece ? length - at : w->piece;
    MPI_Request* r = request(w);
    if (r == NULL) return no_memory(w);
    TRY(MPI_Ibcast((char*)bytes + at, (int)n, MPI_BYTE, from, w->comm, r));
  }
  return 0;
}

static int done(NvmMpiWorld* w) {
  int over = 1;
  TRY(MPI_Testall(w->count, w->requests, &over, MPI_STATUSES_IGNORE));
  if (over) w->count = 0;
  return over;
}

static void tell(NvmMpiWorld* w, int waits) {
  int over = 0;
  if (MPI_Testall(kListeners, w->told, &over, MPI_STATUSES_IGNORE) != MPI_SUCCESS || !over) return;
  w->saying = (unsigned char)waits;
  ++w->told_times;
  for (int to = 0; to < kListeners && to < w->size; ++to) {
    MPI_Isend(&w->saying, 1, MPI_BYTE, to, kTag, w->side, &w->told[to]);
  }
}

static int listen(NvmMpiWorld* w) {
  for (;;) {
    int there = 0;
    MPI_Status status;
    TRY(MPI_Iprobe(MPI_ANY_SOURCE, kTag, w->side, &there, &status));
    if (!there) return 0;
    TRY(MPI_Recv(&w->waits[status.MPI_SOURCE], 1, MPI_BYTE, status.MPI_SOURCE, kTag, w->side,
                 MPI_STATUS_IGNORE));
    ++w->heard[status.MPI_SOURCE];
  }
}

static int heard(NvmMpiWorld* w, unsigned char* waits) {
  if (w->rank >= kListeners || listen(w) != 0) return -1;
  memcpy(waits, w->waits, (size_t)w->size);
  return 0;
}

static NvmMpiWorld* split(NvmMpiWorld* w, int colour) {
  MPI_Comm comm;
  const int code = MPI_Comm_split(w->comm, colour, w->rank, &comm);
  if (code != MPI_SUCCESS) return failed(w, code), NULL;
  NvmMpiWorld* team = calloc(1, sizeof *team);
  if (team == NULL) return no_memory(w), NULL;
  team->piece = w->piece;
  if (prepare(team, comm) != 0) {
    snprintf(w->error, sizeof w->error, "%s", team->error);
    free_world(team);
    return NULL;
  }
  MPI_Comm_free(&comm);
  return team;
}

static void abort_all(NvmMpiWorld* w, int status) {
  began = 0;  // leaves() has nothing to add
  (void)w;
  MPI_Abort(MPI_COMM_WORLD, status);
  _Exit(status);
}

// What is still on its way to the listeners is received: MPI wants no message left.
static int hear_the_rest(NvmMpiWorld* w) {
  TRY(MPI_Waitall(kListeners, w->told, MPI_STATUSES_IGNORE));
  TRY(MPI_Allgather(&w->told_times, 1, MPI_INT, w->counts, 1, MPI_INT, w->side));
  for (int r = 0; r < w->size && w->rank < kListeners; ++r) {
    for (; w->heard[r] < w->counts[r]; ++w->heard[r]) {
      TRY(MPI_Recv(&w->waits[r], 1, MPI_BYTE, r, kTag, w->side, MPI_STATUS_IGNORE));
    }
  }
  return 0;
}

static int close_world(NvmMpiWorld* w) {
  if (hear_the_rest(w) != 0) return -1;
  TRY(MPI_Comm_free(&w->side));
  TRY(MPI_Comm_free(&w->comm));
  if (w->whole && began) {
    began = 0;
    TRY(MPI_Finalize());
  }
  free_world(w);
  return 0;
}

const NvmMpi* nvm_mpi_plugin(void) {
  static const NvmMpi plugin = {
      kNvmMpiInterface, open_world, rank_of, size_of, library_of, error_of,  all_gather, all_to_all, shift,
      broadcast,        done,       tell,    heard,   split,      abort_all, close_world};
  return &plugin;
}
