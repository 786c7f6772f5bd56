/* SPDX-License-Identifier: BSL-1.0
 *
 * Fault injection, preloaded into a program under test or linked into it: counts its requests to
 * the system, writes each of them to a log, and makes one of them fail. Requests for files count if
 * the files are in one directory; other requests count if they are named. See faulty.hpp and
 * faulty_inside.hpp for the drivers. A preloaded program is controlled by environment variables:
 *
 *   FAULTY_DIRECTORY   the directory
 *   FAULTY_OTHERS   names of other requests that count, each between commas, eg: ",getentropy,"
 *   FAULTY_LOG      a file outside of the directory; a line for each request: its name and its path
 *   FAULTY_AT       the number of the request that fails, counted from 1; 0: none; -1: all fail
 *   FAULTY_HOW      how it fails: a number of errno, "short", "kill" or "forget"
 *   FAULTY_ASIDE for "forget": a directory on the same file system for replaced and removed files
 *
 * "kill" kills the program instead of the request. "forget" first undoes everything that no fsync
 * has made durable, as if the machine had lost power; for a number that no request has, when the
 * program ends.
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* would give two of the functions below one name */
#include "framework/faulty.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { passes = 0, falls_short = FAULTY_SHORT, kills = FAULTY_KILL, forgets = FAULTY_FORGET };

static char directory[PATH_MAX];
static atomic_size_t directory_size; /* 0: nothing counts */
static const char *others = "";
static const char *aside;
static int log_file = -1;
static long fail_at;
static int fail_how;
static atomic_long count;
static atomic_long act_at; /* 0: nothing to do */
static void (*action)(void);

void faulty_begin(const char *in, const char *other_requests, const char *log, long at, int how) {
  if (realpath(in, directory) == NULL) return;
  others = other_requests;
  fail_at = at;
  fail_how = how;
  count = 0;
  if (log != NULL) {
    const int opened =
        (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    log_file = fcntl(opened, F_DUPFD_CLOEXEC, 900);  // a number that the program does not use
    syscall(SYS_close, opened);
  }
  directory_size = strlen(directory);
}

void faulty_end(void) {
  directory_size = 0;
  act_at = 0;
  if (log_file >= 0) syscall(SYS_close, log_file);
  log_file = -1;
}

void faulty_keep_in(const char *path) {
  aside = path;
}

void faulty_act(long at, void (*act)(void)) {
  action = act;
  act_at = at;
}

__attribute__((constructor)) static void begin(void) {
  const char *in = getenv("FAULTY_DIRECTORY");
  if (in == NULL) return;
  aside = getenv("FAULTY_ASIDE");
  const char *named = getenv("FAULTY_OTHERS");
  const char *at = getenv("FAULTY_AT");
  const char *text = getenv("FAULTY_HOW");
  if (text == NULL) text = "0";
  const int how = strcmp(text, "short") == 0    ? falls_short
                  : strcmp(text, "kill") == 0   ? kills
                  : strcmp(text, "forget") == 0 ? forgets
                                                : atoi(text);
  faulty_begin(in, named != NULL ? named : "", getenv("FAULTY_LOG"), at != NULL ? atol(at) : 0,
               how);
}

/* The system headers give parameters reserved names. */
/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

/* -- Paths of files ------------------------------------------------------------------------ */

static bool is_inside(const char *path) {
  return directory_size > 0 && strncmp(path, directory, directory_size) == 0 &&
         (path[directory_size] == '/' || path[directory_size] == '\0');
}

/* Finds the absolute path; its last part need not exist. Returns false if it is outside of the
 * directory. */
static bool find_path(const char *path, char *found) {
  if (directory_size == 0 || path == NULL) return false;
  char start[PATH_MAX];
  if (snprintf(start, sizeof start, "%s", path) >= (int)sizeof start) return false;
  char *slash = strrchr(start, '/');
  const char *last = slash == NULL ? start : slash + 1;
  char above[PATH_MAX];
  if (slash != NULL) *slash = '\0';
  if (realpath(slash == NULL ? "." : start[0] == '\0' ? "/" : start, above) == NULL) return false;
  return snprintf(found, PATH_MAX, "%s/%s", above, last) < PATH_MAX && is_inside(found);
}

static bool find_file(int file, char *found) {
  if (directory_size == 0) return false;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, found, PATH_MAX - 1);
  if (size < 0) return false;
  found[size] = '\0';
  return is_inside(found);
}

/* -- Changes that are not durable yet ------------------------------------------------------ */

/* Changes of contents, and of entries of directories, which are undone in reverse order. */
enum what { written, made, made_directory, renamed, removed, removed_directory };

struct step {
  enum what what;
  char path[PATH_MAX]; /* the file; the target of a rename */
  char from[PATH_MAX]; /* of a rename */
  char kept[PATH_MAX]; /* a hard link to the replaced or removed file; empty: none */
  char now[PATH_MAX];  /* where `path` is after later renames */
  off_t size;          /* written: the durable size */
  mode_t mode;         /* of a removed directory */
};

static pthread_mutex_t steps_lock = PTHREAD_MUTEX_INITIALIZER;
static struct step *steps;
static size_t step_count;
static size_t kept_count;

static struct step *add_step(enum what what, const char *path) {
  if (fail_how != forgets || aside == NULL) return NULL;
  struct step *more = realloc(steps, (step_count + 1) * sizeof *steps);
  if (more == NULL) abort();
  steps = more;
  struct step *step = &steps[step_count++];
  memset(step, 0, sizeof *step);
  step->what = what;
  snprintf(step->path, sizeof step->path, "%s", path);
  snprintf(step->now, sizeof step->now, "%s", path);
  return step;
}

static void name_kept(char *kept) {
  snprintf(kept, PATH_MAX, "%s/%zu", aside, kept_count++);
}

static void keep(struct step *step) {
  name_kept(step->kept);
  if (syscall(SYS_linkat, AT_FDCWD, step->path, AT_FDCWD, step->kept, 0) != 0) {
    step->kept[0] = '\0';
  }
}

/* What was written to a file matters no more when it is replaced or removed. */
static void forget_writes(const char *path) {
  for (size_t i = 0; i < step_count; i++) {
    if (steps[i].what == written && strcmp(steps[i].now, path) == 0) steps[i].now[0] = '\0';
  }
}

static void note_write(const char *path, off_t durable) {
  pthread_mutex_lock(&steps_lock);
  bool known = false;
  for (size_t i = 0; i < step_count; i++) {
    known = known || (steps[i].what == written && strcmp(steps[i].now, path) == 0);
  }
  struct step *step = known ? NULL : add_step(written, path);
  if (step != NULL) step->size = durable;
  pthread_mutex_unlock(&steps_lock);
}

static void note_made(enum what what, const char *path) {
  pthread_mutex_lock(&steps_lock);
  add_step(what, path);
  pthread_mutex_unlock(&steps_lock);
}

static bool is_entry_of(const char *path, const char *directory) {
  const char *slash = strrchr(path, '/');
  return strncmp(path, directory, (size_t)(slash - path)) == 0 && directory[slash - path] == '\0';
}

/* An fsync of a file makes its content durable, an fsync of a directory the changes of its entries. A
 * rename is one entry of a journal, so either directory will do. NULL: all is made durable. */
static void note_sync(const char *path) {
  pthread_mutex_lock(&steps_lock);
  size_t left = 0;
  for (size_t i = 0; i < step_count && path != NULL; i++) {
    const struct step *step = &steps[i];
    const bool durable = step->what == written
                             ? strcmp(step->now, path) == 0
                             : is_entry_of(step->now, path) ||
                                   (step->what == renamed && is_entry_of(step->from, path));
    if (!durable) steps[left++] = *step;
  }
  step_count = left;
  pthread_mutex_unlock(&steps_lock);
}

static void move_along(char *path, const char *from, const char *to) {
  const size_t size = strlen(from);
  if (strncmp(path, from, size) != 0 || (path[size] != '/' && path[size] != '\0')) return;
  char moved[PATH_MAX];
  if (snprintf(moved, sizeof moved, "%s%s", to, path + size) >= (int)sizeof moved) abort();
  memcpy(path, moved, sizeof moved);
}

static void note_rename(const char *from, const char *to) {
  pthread_mutex_lock(&steps_lock);
  forget_writes(to);
  for (size_t i = 0; i < step_count; i++) move_along(steps[i].now, from, to);
  struct step *step = add_step(renamed, to);
  if (step != NULL) {
    snprintf(step->from, sizeof step->from, "%s", from);
    keep(step);
  }
  pthread_mutex_unlock(&steps_lock);
}

static void note_removal(const char *path) {
  pthread_mutex_lock(&steps_lock);
  struct stat status;
  forget_writes(path);
  if (lstat(path, &status) == 0) {
    struct step *step = add_step(S_ISDIR(status.st_mode) ? removed_directory : removed, path);
    if (step != NULL && step->what == removed) keep(step);
    if (step != NULL) step->mode = status.st_mode & 07777;
  }
  pthread_mutex_unlock(&steps_lock);
}

/* An entry of a directory is lost with all that is in it. */
static void lose(const char *path) {
  char lost[PATH_MAX];
  name_kept(lost);
  syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, lost, 0);
}

static void forget(void) {
  pthread_mutex_lock(&steps_lock); /* never unlocked: the process ends */
  for (size_t i = 0; i < step_count; i++) {
    if (steps[i].what == written) syscall(SYS_truncate, steps[i].now, steps[i].size);
  }
  for (size_t i = step_count; i-- > 0;) {
    const struct step *step = &steps[i];
    switch (step->what) {
      case made:
      case made_directory:
        lose(step->path);
        break;
      case renamed:
        syscall(SYS_renameat2, AT_FDCWD, step->path, AT_FDCWD, step->from, 0);
        break;
      case removed_directory:
        syscall(SYS_mkdirat, AT_FDCWD, step->path, step->mode);
        break;
      case written:
      case removed:
        break;
    }
    if (step->kept[0] != '\0') {
      syscall(SYS_renameat2, AT_FDCWD, step->kept, AT_FDCWD, step->path, 0);
    }
  }
}

__attribute__((destructor)) static void end(void) {
  if (directory_size > 0 && fail_how == forgets && fail_at > atomic_load(&count)) forget();
}

/* -- The requests -------------------------------------------------------------------------- */

static void end_process(void) {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) pause();
}

void faulty_lose_power(void) {
  forget();
  end_process();
}

/* Counts a request. Returns `passes`, `falls_short`, or the errno to fail with. */
static int next(const char *name, const char *path) {
  const long number = atomic_fetch_add(&count, 1) + 1;
  if (log_file >= 0) {
    char line[PATH_MAX + 64];
    const int size = snprintf(line, sizeof line, "%s %s\n", name, path);
    if (syscall(SYS_write, log_file, line, (size_t)size) != size) abort();
  }
  long now = number;
  if (atomic_compare_exchange_strong(&act_at, &now, 0)) action();
  if (fail_at >= 0 && number != fail_at) return passes;
  if (fail_how == forgets) forget();
  if (fail_how == kills || fail_how == forgets) end_process();
  return fail_how;
}

int faulty_request(const char *name) {
  if (directory_size == 0) return passes;
  char word[32];
  snprintf(word, sizeof word, ",%s,", name);
  return strstr(others, word) != NULL ? next(name, "") : passes;
}

static bool fails(int how) {
  if (how <= passes) return false;
  errno = how;
  return true;
}

/* The same for a path relative to an open directory. */
static bool find_path_at(int at, const char *path, char *found) {
  if (at == AT_FDCWD || path[0] == '/') return find_path(path, found);
  char above[PATH_MAX];
  return find_file(at, above) && snprintf(found, PATH_MAX, "%s/%s", above, path) < PATH_MAX;
}

static int open_file(int at, const char *path, int flags, mode_t mode) {
  char found[PATH_MAX];
  if ((flags & __O_TMPFILE) == __O_TMPFILE && fails(faulty_request("tmpfile"))) return -1;
  const bool inside = find_path_at(at, path, found);
  if (inside && fails(next((flags & O_CREAT) != 0 ? "create" : "open", found))) return -1;
  const bool fresh =
      inside && (flags & O_CREAT) != 0 && syscall(SYS_faccessat, AT_FDCWD, found, F_OK) != 0;
  const int file = (int)syscall(SYS_openat, at, path, flags, mode);
  if (file >= 0 && fresh) note_made(made, found);
  return file;
}

#define MODE(flags)                               \
  mode_t mode = 0;                                \
  if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) { \
    va_list list;                                 \
    va_start(list, flags);                        \
    mode = va_arg(list, mode_t);                  \
    va_end(list);                                 \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return open_file(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags)
  return open_file(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}
int openat(int at, const char *path, int flags, ...) {
  MODE(flags)
  return open_file(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
  MODE(flags)
  return open_file(at, path, flags | O_LARGEFILE, mode);
}

/* Returns half of the size, but at least one byte. */
static size_t part(int how, size_t size) {
  return how == falls_short && size > 1 ? size / 2 : size;
}

ssize_t read(int file, void *to, size_t size) {
  char found[PATH_MAX];
  const int how = find_file(file, found) ? next("read", found) : passes;
  if (fails(how)) return -1;
  return syscall(SYS_read, file, to, part(how, size));
}

static ssize_t read_at(int file, void *to, size_t size, off_t offset) {
  char found[PATH_MAX];
  const int how = find_file(file, found) ? next("read", found) : passes;
  if (fails(how)) return -1;
  return syscall(SYS_pread64, file, to, part(how, size), offset);
}
ssize_t pread(int file, void *to, size_t size, off_t offset) {
  return read_at(file, to, size, offset);
}
ssize_t pread64(int file, void *to, size_t size, off_t offset) {
  return read_at(file, to, size, offset);
}

static int before_write(int file) {
  char found[PATH_MAX];
  if (!find_file(file, found)) return passes;
  const int how = next("write", found);
  struct stat now;
  if (how <= passes && fstat(file, &now) == 0) note_write(found, now.st_size);
  return how;
}

ssize_t write(int file, const void *from, size_t size) {
  const int how = before_write(file);
  if (fails(how)) return -1;
  return syscall(SYS_write, file, from, part(how, size));
}

static ssize_t write_at(int file, const void *from, size_t size, off_t offset) {
  const int how = before_write(file);
  if (fails(how)) return -1;
  return syscall(SYS_pwrite64, file, from, part(how, size), offset);
}
ssize_t pwrite(int file, const void *from, size_t size, off_t offset) {
  return write_at(file, from, size, offset);
}
ssize_t pwrite64(int file, const void *from, size_t size, off_t offset) {
  return write_at(file, from, size, offset);
}

static int cut(int file, off_t size) {
  char found[PATH_MAX];
  if (find_file(file, found) && fails(next("truncate", found))) return -1;
  return (int)syscall(SYS_ftruncate, file, size);
}
ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
                        unsigned flags) {
  const int how = before_write(to);
  if (fails(how)) return -1;
  return syscall(SYS_copy_file_range, from, from_at, to, to_at, part(how, size), flags);
}

int ftruncate(int file, off_t size) {
  return cut(file, size);
}
int ftruncate64(int file, off_t size) {
  return cut(file, size);
}

static int sync_file(int file, long request) {
  char found[PATH_MAX];
  const bool inside = find_file(file, found);
  if (inside && fails(next("sync", found))) return -1;
  const int result = (int)syscall(request, file);
  if (inside && result == 0) note_sync(request == SYS_syncfs ? NULL : found);
  return result;
}
int fsync(int file) {
  return sync_file(file, SYS_fsync);
}
int fdatasync(int file) {
  return sync_file(file, SYS_fdatasync);
}
int syncfs(int file) {
  return sync_file(file, SYS_syncfs);
}

int renameat2(int from_directory, const char *from, int to_directory, const char *to,
              unsigned flags) {
  char found[PATH_MAX];
  char source[PATH_MAX];
  if (flags != 0 && fails(faulty_request("renameat2"))) return -1;
  if (!find_path_at(to_directory, to, found) || !find_path_at(from_directory, from, source)) {
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
  }
  if (fails(next("rename", found))) return -1;
  const bool replaces = flags == 0;
  if (replaces) note_rename(source, found);
  const int result = (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, flags);
  if (!replaces && result == 0) note_rename(source, found);
  return result;
}
int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  return renameat2(from_directory, from, to_directory, to, 0);
}
int rename(const char *from, const char *to) {
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlinkat(int at, const char *path, int flags) {
  char found[PATH_MAX];
  if (find_path_at(at, path, found)) {
    if (fails(next((flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink", found))) return -1;
    note_removal(found);
  }
  return (int)syscall(SYS_unlinkat, at, path, flags);
}
int unlink(const char *path) {
  return unlinkat(AT_FDCWD, path, 0);
}
int rmdir(const char *path) {
  return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char *path) {
  const int result = unlinkat(AT_FDCWD, path, 0);
  return result != 0 && errno == EISDIR ? unlinkat(AT_FDCWD, path, AT_REMOVEDIR) : result;
}

int mkdirat(int at, const char *path, mode_t mode) {
  char found[PATH_MAX];
  const bool inside = find_path_at(at, path, found);
  if (inside && fails(next("mkdir", found))) return -1;
  const int result = (int)syscall(SYS_mkdirat, at, path, mode);
  if (inside && result == 0) note_made(made_directory, found);
  return result;
}
int mkdir(const char *path, mode_t mode) {
  return mkdirat(AT_FDCWD, path, mode);
}

char *mkdtemp(char *name) {
  char found[PATH_MAX];
  const bool inside = find_path(name, found);
  if (inside && fails(next("mkdir", found))) return NULL;
  char *(*real)(char *);
  *(void **)&real = dlsym(RTLD_NEXT, "mkdtemp");
  char *made_name = real(name);
  if (inside && made_name != NULL && find_path(made_name, found)) note_made(made_directory, found);
  return made_name;
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags) {
  char found[PATH_MAX];
  const bool inside = find_path_at(to_directory, to, found);
  if (from[0] == '\0' && fails(faulty_request("linkdescriptor"))) return -1;
  if (inside && fails(next("link", found))) return -1;
  const int result = (int)syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
  if (inside && result == 0) note_made(made, found);
  return result;
}
int link(const char *from, const char *to) {
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int symlinkat(const char *target, int at, const char *path) {
  char found[PATH_MAX];
  const bool inside = find_path_at(at, path, found);
  if (inside && fails(next("link", found))) return -1;
  const int result = (int)syscall(SYS_symlinkat, target, at, path);
  if (inside && result == 0) note_made(made, found);
  return result;
}
int symlink(const char *target, const char *path) {
  return symlinkat(target, AT_FDCWD, path);
}

DIR *opendir(const char *path) {
  char found[PATH_MAX];
  if (find_path(path, found) && fails(next("open", found))) return NULL;
  DIR *(*real)(const char *);
  *(void **)&real = dlsym(RTLD_NEXT, "opendir");
  return real(path);
}

int inotify_add_watch(int queue, const char *path, uint32_t what) {
  char found[PATH_MAX];
  if (find_path(path, found) && fails(next("watch", found))) return -1;
  return (int)syscall(SYS_inotify_add_watch, queue, path, what);
}

int inotify_init1(int flags) {
  if (fails(faulty_request("inotify_init1"))) return -1;
  return (int)syscall(SYS_inotify_init1, flags);
}

int eventfd(unsigned start, int flags) {
  if (fails(faulty_request("eventfd"))) return -1;
  return (int)syscall(SYS_eventfd2, start, flags);
}

static void *map(void *address, size_t size, int access, int flags, int file, off_t offset) {
  char found[PATH_MAX];
  const int how = file >= 0 && find_file(file, found) ? next("mmap", found) : passes;
  if (how > 0) {
    errno = how;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, address, size, access, flags, file, offset);
}
void *mmap(void *address, size_t size, int access, int flags, int file, off_t offset) {
  return map(address, size, access, flags, file, offset);
}
void *mmap64(void *address, size_t size, int access, int flags, int file, off_t offset) {
  return map(address, size, access, flags, file, offset);
}

int memfd_create(const char *name, unsigned flags) {
  if (fails(faulty_request("memfd_create"))) return -1;
  return (int)syscall(SYS_memfd_create, name, flags);
}

int getentropy(void *to, size_t size) {
  if (fails(faulty_request("getentropy"))) return -1;
  return syscall(SYS_getrandom, to, size, 0) == (long)size ? 0 : -1;
}

void *dlopen(const char *path, int mode) {
  char found[PATH_MAX];
  void *(*real)(const char *, int);
  *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
  const bool asks = path != NULL && (mode & RTLD_NOLOAD) == 0;
  if (asks && find_path(path, found) && next("dlopen", found) > 0) {
    return real("/no/such/library", mode); /* sets dlerror */
  }
  return real(path, mode);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *),
                   void *argument) {
  const int failure = faulty_request("pthread_create");
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
  return failure > passes ? failure : real(thread, how, start, argument);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
