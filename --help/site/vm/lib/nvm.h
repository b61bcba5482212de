/* libnvm from C: the same machine as nvm.hpp. Handles are freed by their _free function; strings belong to
   the handle they come from. Functions that can fail return NULL or a non-zero number; nvm_error() then says
   why, for the calling thread: whatever fails, memory included, does not end the process. A value that is
   NULL has no elements. While a machine or session is used, another call of it fails: "busy"; it may be freed
   by what that call calls back, and lives until the call has ended. See programs/embed/example.c. */
#ifndef NVM_H
#define NVM_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvm_program nvm_program; /* immutable; may be run by several machines at once */
typedef struct nvm_vm nvm_vm;           /* one machine: one run at a time */
typedef struct nvm_value nvm_value;     /* a vector, descriptor or pair */
typedef struct nvm_results nvm_results; /* what a run left */

typedef enum { NVM_INT, NVM_FLOAT, NVM_BOOL, NVM_SEGDES, NVM_PAIR } nvm_kind;

typedef struct {
  int int_bits;           /* 32 or 64; 0: 64 */
  const char* function;   /* where to start; NULL: MAIN or the first function */
  const nvm_kind* inputs; /* what it finds on the stack, deepest first */
  int input_count;
} nvm_load_options;

/* What the text of a program may do besides computing and using the three given streams: nothing if this is
   zero. Files below folders (nvm.hpp: Capabilities); "/" is any file. */
typedef struct {
  const char* const* read;
  int read_count;
  const char* const* write;
  int write_count;
  int spawn; /* start processes, which may do all that their user may */
} nvm_capabilities;

typedef struct {
  int threads;       /* 0: all processors */
  uint64_t memory;   /* bytes of vectors, 0: what the machine has */
  int64_t max_depth; /* open calls, 0: as many as memory holds */
  double time_limit; /* seconds, 0: none */
  int seeded;        /* use `seed` */
  int64_t seed;      /* as if the program began with SRAND */
  nvm_capabilities allow;
  uint64_t fuel;         /* work that all runs may do together, counted the same everywhere; 0: no limit */
  uint64_t output_limit; /* bytes that they may write; 0: no limit */
  int untrusted; /* for programs of strangers: nothing may be allowed, limits that are 0 get defaults */
} nvm_options;

/* From nvm_limits_begin to nvm_limits_end, all that the calling thread does with this library shares this
   memory (bytes) and time (seconds), 0: no limit: loading, making machines and values, running, printing.
   What takes more fails. Limits nest, and the inner ones cannot have more; they are ended on the thread where
   they were begun, the innermost first, also by what a call calls back. Otherwise nvm_limits_end does nothing
   and returns a non-zero number. */
typedef struct nvm_limits nvm_limits;
nvm_limits* nvm_limits_begin(uint64_t memory, double seconds);
int nvm_limits_end(nvm_limits* limits);

/* Zero-initialised options are the defaults. `options` may be NULL. */
nvm_program* nvm_load_text(const char* text, size_t size, const char* name, const nvm_load_options* options);
nvm_program* nvm_load_file(const char* path, const nvm_load_options* options);
void nvm_program_free(nvm_program* program);

nvm_vm* nvm_new(const nvm_options* options);
void nvm_free(nvm_vm* vm);
/* From any thread or a signal handler: the run under way ends soon with an error. */
void nvm_cancel(nvm_vm* vm);

nvm_results* nvm_run(nvm_vm* vm, const nvm_program* program, nvm_value* const* inputs, int input_count);
int nvm_results_count(const nvm_results* results);
nvm_value* nvm_results_take(nvm_results* results, int i); /* a handle of its own, deepest first */
void nvm_results_free(nvm_results* results);

/* Inputs. The _foreign ones do not copy, unless the elements end less than 64 bytes before the end of a page:
   release(user) is called when nothing needs the elements any more. */
nvm_value* nvm_make_ints(const int64_t* elements, int64_t n);
nvm_value* nvm_make_floats(const double* elements, int64_t n);
nvm_value* nvm_make_bools(const uint8_t* elements, int64_t n);
nvm_value* nvm_make_segdes(const int64_t* lengths, int64_t n);
nvm_value* nvm_foreign_ints(const int64_t* elements, int64_t n, void (*release)(void*), void* user);
nvm_value* nvm_foreign_floats(const double* elements, int64_t n, void (*release)(void*), void* user);

nvm_kind nvm_value_kind(const nvm_value* value);
int64_t nvm_value_size(const nvm_value* value);
/* Where there is no such element, or it is of another kind, 0. */
int64_t nvm_value_int(const nvm_value* value, int64_t i); /* Int, or a segment's length */
double nvm_value_float(const nvm_value* value, int64_t i);
int nvm_value_bool(const nvm_value* value, int64_t i);
/* The elements where they lie, as long as the handle lives: Int in 1, 4 or 8 bytes each, Float in 8, Bool in
   1; NULL for descriptors and pairs. */
const void* nvm_value_data(const nvm_value* value);
int nvm_value_element_bytes(const nvm_value* value);
int nvm_value_print(const nvm_value* value, FILE* file); /* 0 if the system refuses */
void nvm_value_free(nvm_value* value);

/* NESL: a session of definitions, and values of its types. A value is a handle; the parts that it is made of
   are not copied, and are kept as long as anything needs them. One call at a time uses a session. */
typedef struct nvm_nesl nvm_nesl;
typedef struct nvm_nesl_value nvm_nesl_value;

nvm_nesl* nvm_nesl_new(const nvm_options* options);
void nvm_nesl_free(nvm_nesl* session);
/* Compiles definitions: 0, or nothing is defined and nvm_error() says what is wrong, and where. `name` stands
   in messages. */
int nvm_nesl_define(nvm_nesl* session, const char* text, size_t size, const char* name);
/* The value of a function of the session, which is compiled once for each combination of argument types. */
nvm_nesl_value* nvm_nesl_call(nvm_nesl* session, const char* function, nvm_nesl_value* const* arguments,
                              int argument_count);

nvm_nesl_value* nvm_nesl_int(int64_t x);
nvm_nesl_value* nvm_nesl_float(double x);
nvm_nesl_value* nvm_nesl_bool(int x);
nvm_nesl_value* nvm_nesl_text(const char* text, size_t size);
/* [int], [float] or [bool], by the kind of the elements. */
nvm_nesl_value* nvm_nesl_sequence(const nvm_value* elements);
/* A sequence of sequences: `elements`, a sequence of their elements, cut into pieces of n lengths. */
nvm_nesl_value* nvm_nesl_nest(const nvm_nesl_value* elements, const int64_t* lengths, int64_t n);
nvm_nesl_value* nvm_nesl_tuple(nvm_nesl_value* const* components, int count); /* two or more */
/* Any other type, records and sequences of tuples among them, from its parts as nesl.hpp describes them
   (NeslValue): for a sequence a descriptor, then the parts of its elements; for tuples and records those of
   their components. A call checks that they fit. */
nvm_nesl_value* nvm_nesl_make(const char* type, nvm_value* const* parts, int part_count);
const char* nvm_nesl_type(const nvm_nesl_value* value);
int nvm_nesl_part_count(const nvm_nesl_value* value);
nvm_value* nvm_nesl_part(const nvm_nesl_value* value, int i); /* a handle of its own */
void nvm_nesl_value_free(nvm_nesl_value* value);

/* Of the last error of the calling thread: its kind, and its place in a text, 0 and "" where it has none. */
typedef enum {
  NVM_LENGTH,
  NVM_INDEX,
  NVM_SEGDES_ERROR,
  NVM_DIVIDE,
  NVM_RANDOM,
  NVM_MEMORY,
  NVM_RECURSION,
  NVM_DENIED,
  NVM_IO,
  NVM_INTERRUPTED,
  NVM_TYPE,
  NVM_TIME,
  NVM_DEVICE,
  NVM_OTHER
} nvm_cause;
const char* nvm_error(void);
const char* nvm_error_reason(void); /* what happened, without the place */
const char* nvm_error_file(void);
uint32_t nvm_error_line(void);
uint32_t nvm_error_column(void);
nvm_cause nvm_error_cause(void);
const char* nvm_version(void);

#ifdef __cplusplus
}
#endif

#endif
