#include "vm/lib/confine.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace nvm::lib {

namespace {

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kReads = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kWrites = kWriteFile | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                  LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                  LANDLOCK_ACCESS_FS_MAKE_DIR;
// All that the first version of Landlock knows: what no rule grants is refused.
constexpr std::uint64_t kHandled = kReads | kWrites | LANDLOCK_ACCESS_FS_EXECUTE |
                                   LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                   LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                   LANDLOCK_ACCESS_FS_MAKE_SYM;

bool has_landlock() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

bool has_seccomp() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

// What is not there needs no rule.
void grant(int rules, const std::string& path, std::uint64_t access) {
  landlock_path_beneath_attr beneath{};
  beneath.parent_fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (beneath.parent_fd < 0) return;
  struct stat is {};
  const bool folder = ::fstat(beneath.parent_fd, &is) == 0 && S_ISDIR(is.st_mode);
  beneath.allowed_access = folder ? access : access & (kReadFile | kWriteFile);
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
  ::close(beneath.parent_fd);
}

bool hold_files(const Confinement& to) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kHandled;
  const auto rules =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  if (rules < 0) return false;
  for (const std::string& path : to.read) grant(rules, path, kReads);
  for (const std::string& path : to.write) grant(rules, path, kReads | kWrites);
  const bool held = ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  ::close(rules);
  return held;
}

// Calls that are refused with EPERM. The threads of a process are made by clone and clone3, so these stay: a
// copy of the process is under the same walls.
constexpr std::uint32_t kRefused[] = {SYS_execve,
                                      SYS_execveat,
                                      SYS_ptrace,
                                      SYS_process_vm_readv,
                                      SYS_process_vm_writev,
                                      SYS_socket,
                                      SYS_connect,
                                      SYS_bind,
                                      SYS_mount,
                                      SYS_bpf,
                                      SYS_keyctl,
                                      SYS_add_key,
                                      SYS_kexec_load,
                                      SYS_init_module,
                                      SYS_finit_module,
                                      SYS_userfaultfd,
                                      SYS_perf_event_open,
                                      SYS_io_uring_setup,
                                      SYS_open_by_handle_at};

bool hold_calls() {
#ifdef __x86_64__
  constexpr std::uint32_t kX32 = 0x40000000;  // numbers of the other interface
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  for (const std::uint32_t call : kRefused) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
#else
  return false;
#endif
}

std::string words(bool files, bool calls) {
  return std::string(files ? "landlock" : "") + (files && calls ? ", " : "") + (calls ? "seccomp" : "");
}

}  // namespace

std::string confine(const Confinement& to) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "";
  const bool files = hold_files(to);
  return words(files, hold_calls());
}

std::string describe_confinement() {
  const std::string there = words(has_landlock(), has_seccomp());
  return there.empty() ? "none" : there;
}

}  // namespace nvm::lib
