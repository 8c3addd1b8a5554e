// Preloaded below a program: a disk that fails. What is done to files under FAILING_FOLDER fails as the file FAILING_HOW
// says, which is read each time: `<kinds> <in a thousand> <errno>`, kinds of w (write), s (sync), r (rename), o (open for
// writing), m (make a folder). A write that fails has written its first half, as on a disk that becomes full; p (part) is
// the write before, which takes a part and says so. What the C library does inside (a flush of its own buffer) can't be caught from here, so its calls for buffered files are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int failsNow(char kind) {
  const char *how = getenv("FAILING_HOW");
  if (!how) return 0;
  int control = syscall(SYS_openat, AT_FDCWD, how, O_RDONLY | O_CLOEXEC, 0);
  if (control < 0) return 0;
  char text[64] = {0};
  long length = syscall(SYS_read, control, text, sizeof text - 1);
  syscall(SYS_close, control);
  char kinds[16] = {0};
  int thousandth = 0, number = 0;
  if (length <= 0 || sscanf(text, "%15s %d %d", kinds, &thousandth, &number) != 3) return 0;
  if (!strchr(kinds, kind)) return 0;
  static __thread unsigned seed;
  if (!seed) seed = (unsigned)getpid() * 2654435761u ^ (unsigned)(size_t)&seed;
  return rand_r(&seed) % 1000 < thousandth ? number : 0;
}

static int isBelow(const char *path) {
  const char *folder = getenv("FAILING_FOLDER");
  return folder && path && !strncmp(path, folder, strlen(folder));
}

static int isFileBelow(int fd) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return isBelow(path);
}

static int failure(int fd, char kind) { return isFileBelow(fd) ? failsNow(kind) : 0; }

static size_t taken(int fd, size_t count) { return count > 1 && failure(fd, 'p') ? count / 2 : count; }

#undef fwrite_unlocked
#undef fflush_unlocked

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))
#define FAIL(number, result) do { errno = (number); return (result); } while (0)

ssize_t write(int fd, const void *bytes, size_t count) {
  int number = failure(fd, 'w');
  if (!number) return REAL(write)(fd, bytes, taken(fd, count));
  if (count > 1) REAL(write)(fd, bytes, count / 2);
  FAIL(number, -1);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  int number = failure(fd, 'w');
  if (!number) return REAL(pwrite64)(fd, bytes, taken(fd, count), at);
  if (count > 1) REAL(pwrite64)(fd, bytes, count / 2, at);
  FAIL(number, -1);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  int number = failure(fd, 'w');
  if (!number) return REAL(writev)(fd, parts, count);
  if (count > 1) REAL(writev)(fd, parts, count / 2);
  FAIL(number, -1);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  int number = failure(fd, 'w');
  if (!number) return REAL(pwritev64)(fd, parts, count, at);
  if (count > 1) REAL(pwritev64)(fd, parts, count / 2, at);
  FAIL(number, -1);
}

static int flushHalf(FILE *file, int number) {
  size_t waiting = file->_IO_write_ptr - file->_IO_write_base;
  if (waiting > 1) syscall(SYS_write, fileno(file), file->_IO_write_base, waiting / 2);
  __fpurge(file);
  FAIL(number, EOF);
}

int fflush_unlocked(FILE *file) {
  int number = file ? failure(fileno(file), 'w') : 0;
  return number ? flushHalf(file, number) : REAL(fflush_unlocked)(file);
}

int fflush(FILE *file) {
  int number = file ? failure(fileno(file), 'w') : 0;
  return number ? flushHalf(file, number) : REAL(fflush)(file);
}

size_t fwrite_unlocked(const void *bytes, size_t size, size_t count, FILE *file) {
  int number = failure(fileno(file), 'w');
  if (!number) return REAL(fwrite_unlocked)(bytes, size, count, file);
  REAL(fflush_unlocked)(file);
  syscall(SYS_write, fileno(file), bytes, size * count / 2);
  FAIL(number, 0);
}

int fsync(int fd) {
  int number = failure(fd, 's');
  if (number) FAIL(number, -1);
  return REAL(fsync)(fd);
}

int fdatasync(int fd) {
  int number = failure(fd, 's');
  if (number) FAIL(number, -1);
  return REAL(fdatasync)(fd);
}

int rename(const char *from, const char *to) {
  int number = isBelow(to) ? failsNow('r') : 0;
  if (number) FAIL(number, -1);
  return REAL(rename)(from, to);
}

int mkdir(const char *path, mode_t mode) {
  int number = isBelow(path) ? failsNow('m') : 0;
  if (number) FAIL(number, -1);
  return REAL(mkdir)(path, mode);
}

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  int number = (flags & (O_WRONLY | O_RDWR | O_CREAT)) && isBelow(path) ? failsNow('o') : 0;
  if (number) FAIL(number, -1);
  return REAL(open64)(path, flags, mode);
}

FILE *fopen64(const char *path, const char *mode) {
  int number = strpbrk(mode, "wa+") && isBelow(path) ? failsNow('o') : 0;
  if (number) FAIL(number, NULL);
  return REAL(fopen64)(path, mode);
}
