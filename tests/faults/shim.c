/* Makes one call of a process fail, for faults.py: LD_PRELOAD=libnvm_faults.so and

     NVM_FAULT=NAME     memory, or one of the functions below
     NVM_FAULT_AT=K     the K-th of these calls since main() began, from 1
     NVM_FAULT_AS=N     errno; "short": half of what is read or written. memory knows only ENOMEM.
                        "term": it succeeds, and a SIGTERM comes before it returns; not of all.
                        "cut": of read, the file is cut off to half its length first.
     NVM_FAULT_ON=1     and all of them after it
     NVM_FAULT_COUNTS=FILE   instead of that: says at the end how often each was called

   Allocations inside of the C library count, its own system calls do not: they cannot be seen from here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

#define CALLS(X)                                                                                        \
  X(memory)                                                                                             \
  X(open)                                                                                               \
  X(fopen) X(read) X(write) X(writev) X(pwrite) X(fsync) X(close) X(rename) X(unlink) X(linkat) X(stat) \
      X(fstat) X(lstat) X(access) X(mkdir) X(realpath) X(readlink) X(fcntl) X(fdopen) X(pipe2)          \
          X(posix_spawnp) X(fork) X(memfd_create) X(pthread_create) X(mprotect) X(fchmod) X(fclose) X(fflush)

enum {
#define X(name) k_##name,
  CALLS(X)
#undef X
      kCalls
};
static const char* const kNames[] = {
#define X(name) #name,
    CALLS(X)
#undef X
};

static atomic_long counts[kCalls];
static int armed, wanted = -1, as_errno, is_short, is_term, is_cut, goes_on;
static __thread int term_due;
static long at;
static const char* report;

/* Whether this call is to fail; errno is set then. */
static int fails(int call) {
  if (!armed) return 0;
  const long n = atomic_fetch_add_explicit(&counts[call], 1, memory_order_relaxed) + 1;
  if (call != wanted || (goes_on ? n < at : n != at)) return 0;
  if (is_term) return !(term_due = 1);
  errno = as_errno;
  return 1;
}

/* Of a call that has succeeded. */
static int ended(int result) {
  if (term_due) raise(SIGTERM);
  term_due = 0;
  return result;
}

static int (*real_main)(int, char**, char**);
static void say_counts(void) {
  armed = 0;
  FILE* file = report ? fopen(report, "w") : NULL;
  if (file == NULL) return;
  for (int i = 0; i < kCalls; ++i) fprintf(file, "%s %ld\n", kNames[i], (long)counts[i]);
  fclose(file);
}
static int counted_main(int argc, char** argv, char** environment) {
  const char* name = getenv("NVM_FAULT");
  const char* number = getenv("NVM_FAULT_AT");
  const char* as = getenv("NVM_FAULT_AS");
  goes_on = getenv("NVM_FAULT_ON") != NULL;
  report = getenv("NVM_FAULT_COUNTS");
  for (int i = 0; name != NULL && i < kCalls; ++i)
    if (strcmp(name, kNames[i]) == 0) wanted = i;
  at = number != NULL ? atol(number) : 1;
  is_short = as != NULL && strcmp(as, "short") == 0;
  is_term = as != NULL && strcmp(as, "term") == 0;
  is_cut = as != NULL && strcmp(as, "cut") == 0;
  as_errno = wanted == k_memory || as == NULL ? ENOMEM : atoi(as);
  if (report != NULL) atexit(say_counts);
  unsetenv("LD_PRELOAD"); /* processes that this one starts are not its matter */
  armed = 1;
  const int status = real_main(argc, argv, environment);
  armed = armed && goes_on == 0; /* what the C library does at the end is its own */
  return status;
}
int __libc_start_main(int (*entry)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  __typeof__(&__libc_start_main) real = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = entry;
  return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

void* malloc(size_t n) { return fails(k_memory) ? NULL : __libc_malloc(n); }
void* calloc(size_t n, size_t size) { return fails(k_memory) ? NULL : __libc_calloc(n, size); }
void* realloc(void* p, size_t n) { return fails(k_memory) ? NULL : __libc_realloc(p, n); }
void* memalign(size_t alignment, size_t n) { return fails(k_memory) ? NULL : __libc_memalign(alignment, n); }
void* aligned_alloc(size_t alignment, size_t n) { return memalign(alignment, n); }
int posix_memalign(void** p, size_t alignment, size_t n) {
  if (fails(k_memory)) return ENOMEM;
  *p = __libc_memalign(alignment, n);
  return *p == NULL ? ENOMEM : 0;
}

#define REAL(name)               \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

void* mmap(void* address, size_t n, int protection, int flags, int fd, off_t offset) {
  REAL(mmap);
  return fails(k_memory) ? MAP_FAILED : real(address, n, protection, flags, fd, offset);
}
void* mremap(void* old, size_t old_n, size_t n, int flags, ...) {
  REAL(mremap);
  va_list more;
  va_start(more, flags);
  void* to = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : NULL;
  va_end(more);
  return fails(k_memory) ? MAP_FAILED : real(old, old_n, n, flags, to);
}
int madvise(void* p, size_t n, int advice) {
  REAL(madvise);
  return fails(k_memory) ? -1 : real(p, n, advice);
}

static mode_t mode_of(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
}
int open(const char* path, int flags, ...) {
  REAL(open);
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return fails(k_open) ? -1 : ended(real(path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  REAL(open64);
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return fails(k_open) ? -1 : ended(real(path, flags, mode));
}
FILE* fopen(const char* path, const char* mode) {
  REAL(fopen);
  return fails(k_fopen) ? NULL : real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  REAL(fopen64);
  return fails(k_fopen) ? NULL : real(path, mode);
}

/* Half of it, or a failure. */
#define TRANSFER(name, n, refused, full, half) \
  REAL(name);                                  \
  if (!fails(k_##name)) return full;           \
  return is_short && (n) > 1 ? half : is_short ? full : refused
/* Of the files of the test, which are in the current folder: others are not its own. */
static void cut_off(int fd) {
  struct stat info;
  char name[64], path[4096], folder[4096];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  const ssize_t n = (readlink)(name, path, sizeof path - 1);
  if (n < 0 || getcwd(folder, sizeof folder) == NULL) return;
  path[n] = '\0';
  if (strncmp(path, folder, strlen(folder)) == 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
    if (truncate(path, info.st_size / 2) != 0) abort();
}
ssize_t read(int fd, void* to, size_t n) {
  if (is_cut && fails(k_read)) {
    REAL(read);
    cut_off(fd);
    return real(fd, to, n);
  }
  TRANSFER(read, n, -1, real(fd, to, n), real(fd, to, n / 2));
}
ssize_t write(int fd, const void* from, size_t n) {
  TRANSFER(write, n, -1, real(fd, from, n), real(fd, from, n / 2));
}
ssize_t pwrite(int fd, const void* from, size_t n, off_t o) {
  TRANSFER(pwrite, n, -1, real(fd, from, n, o), real(fd, from, n / 2, o));
}
struct iovec;
ssize_t writev(int fd, const struct iovec* from, int n) {
  TRANSFER(writev, n, -1, real(fd, from, n), real(fd, from, n / 2));
}

#define CALL(type, refused, name, parameters, arguments) \
  type name parameters {                                 \
    REAL(name);                                          \
    return fails(k_##name) ? refused : real arguments;   \
  }
#define ENDED_CALL(name, parameters, arguments)          \
  int name parameters {                                  \
    REAL(name);                                          \
    return fails(k_##name) ? -1 : ended(real arguments); \
  }
ENDED_CALL(fsync, (int fd), (fd))
ENDED_CALL(rename, (const char* from, const char* to), (from, to))
ENDED_CALL(unlink, (const char* path), (path))
ENDED_CALL(linkat, (int a, const char* from, int b, const char* to, int flags), (a, from, b, to, flags))
CALL(int, -1, stat, (const char* path, struct stat* info), (path, info))
CALL(int, -1, lstat, (const char* path, struct stat* info), (path, info))
CALL(int, -1, fstat, (int fd, struct stat* info), (fd, info))
CALL(int, -1, access, (const char* path, int mode), (path, mode))
CALL(int, -1, mkdir, (const char* path, mode_t mode), (path, mode))
CALL(char*, NULL, realpath, (const char* path, char* to), (path, to))
CALL(ssize_t, -1, readlink, (const char* path, char* to, size_t n), (path, to, n))
CALL(FILE*, NULL, fdopen, (int fd, const char* mode), (fd, mode))
CALL(int, -1, pipe2, (int fds[2], int flags), (fds, flags))
CALL(pid_t, -1, fork, (void), ())
CALL(int, -1, memfd_create, (const char* name, unsigned flags), (name, flags))
CALL(int, -1, mprotect, (void* p, size_t n, int protection), (p, n, protection))
CALL(int, -1, fchmod, (int fd, mode_t mode), (fd, mode))
CALL(int, as_errno, pthread_create,
     (pthread_t * thread, const pthread_attr_t* how, void* (*f)(void*), void* user), (thread, how, f, user))
CALL(int, as_errno, posix_spawnp,
     (pid_t * pid, const char* file, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* how,
      char* const* argv, char* const* environment),
     (pid, file, actions, how, argv, environment))
int fcntl(int fd, int command, ...) {
  REAL(fcntl);
  va_list more;
  va_start(more, command);
  void* argument = va_arg(more, void*);
  va_end(more);
  return fails(k_fcntl) ? -1 : real(fd, command, argument);
}

/* These do their work and then report a failure, as after a delayed write. */
int close(int fd) {
  REAL(close);
  const int done = real(fd);
  return fails(k_close) ? -1 : done;
}
int fclose(FILE* file) {
  REAL(fclose);
  const int done = real(file);
  return fails(k_fclose) ? EOF : done;
}
int fflush(FILE* file) {
  REAL(fflush);
  const int done = real(file);
  return fails(k_fflush) ? EOF : done;
}
