/* Writes down what a process does to the files below RECORD_ROOT, in the order in which it is done, to RECORD_LOG.
 *
 * A write and its note are one step: whatever is noted behind it happened behind it. A sync has two notes, before and behind:
 * it covers what was noted before it began. A write to the file `acks` is noted as such and goes nowhere else.
 *
 * Where FAULT_AT says so, that call of those which write, cut, sync or rename, counted from 1, fails with the error number in
 * FAULT; with 0 it writes only a half, if it writes.
 *
 * A note: kind (1), inode (8), position (8), length (8), so many bytes; numbers little-endian.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRACKED_MAX 4096

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static char root[4096];
static size_t root_len;
static int log_fd = -1;
static dev_t device;
static ino_t tracked[TRACKED_MAX];
static int tracked_len;
static ino_t acks;
static long fault_at, calls;
static int fault;

static void die(const char *why) {
    dprintf(2, "shim: %s: %s\n", why, strerror(errno));
    _exit(99);
}

__attribute__((constructor)) static void begin(void) {
    const char *from = getenv("RECORD_ROOT"), *to = getenv("RECORD_LOG");
    struct stat seen;
    if (!from || !to) return;
    snprintf(root, sizeof root, "%s/", from);
    root_len = strlen(root);
    if (stat(from, &seen)) die("the root");
    device = seen.st_dev;
    fault_at = getenv("FAULT_AT") ? atol(getenv("FAULT_AT")) : 0;
    fault = getenv("FAULT") ? atoi(getenv("FAULT")) : 0;
    log_fd = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (log_fd < 0) die("the log");
}

static void put(const void *bytes, size_t len) {
    const char *at = bytes;
    while (len) {
        ssize_t done = syscall(SYS_write, log_fd, at, len);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) die("noting");
        at += done;
        len -= done;
    }
}

static void note(char kind, uint64_t inode, uint64_t position, const void *bytes, uint64_t len) {
    char head[25];
    head[0] = kind;
    memcpy(head + 1, &inode, 8);
    memcpy(head + 9, &position, 8);
    memcpy(head + 17, &len, 8);
    put(head, sizeof head);
    put(bytes, len);
}

/* What a path below the root is called from there; NULL for others, and for files that hold nothing. */
static const char *below(const char *path) {
    const char *name;
    if (log_fd < 0 || !path || strncmp(path, root, root_len)) return NULL;
    name = path + root_len;
    return strcmp(name, "lock") && strcmp(name, "ballast") ? name : NULL;
}

static int is_tracked(int fd, struct stat *seen) {
    if (log_fd < 0 || fstat(fd, seen) || seen->st_dev != device) return 0;
    for (int at = 0; at < tracked_len; at++)
        if (tracked[at] == seen->st_ino) return 1;
    return 0;
}

static void track(ino_t inode) {
    for (int at = 0; at < tracked_len; at++)
        if (tracked[at] == inode) return;
    if (tracked_len == TRACKED_MAX) die("too many files");
    tracked[tracked_len++] = inode;
}

/* Whether this call, which holds the lock, is the one that fails. */
static int fails(void) { return ++calls == fault_at; }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int opened(const char *path, int flags, mode_t mode) {
    const char *name = below(path);
    struct stat seen;
    int fd, was_there;
    if (!name && (log_fd < 0 || strncmp(path, root, root_len - 1) || strlen(path) + 1 < root_len))
        return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    pthread_mutex_lock(&one);
    was_there = !stat(path, &seen);
    fd = syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd >= 0 && !fstat(fd, &seen)) {
        if (name && !strcmp(name, "acks")) {
            acks = seen.st_ino;
        } else if (name || S_ISDIR(seen.st_mode)) {
            track(seen.st_ino);
            if (!was_there) note('O', seen.st_ino, 0, name, strlen(name));
            else if (flags & O_TRUNC) note('T', seen.st_ino, 0, "", 0);
        }
    }
    pthread_mutex_unlock(&one);
    return fd;
}

#define OPEN(name)                                       \
    int name(const char *path, int flags, ...) {         \
        mode_t mode = 0;                                 \
        if (flags & (O_CREAT | O_TMPFILE)) {             \
            va_list more;                                \
            va_start(more, flags);                       \
            mode = va_arg(more, mode_t);                 \
            va_end(more);                                \
        }                                                \
        return opened(path, flags, mode);                \
    }
OPEN(open)
OPEN(open64)

static ssize_t written(int fd, const void *bytes, size_t len, off_t at, int positioned) {
    struct stat seen;
    ssize_t done;
    if (log_fd >= 0 && !fstat(fd, &seen) && acks && seen.st_dev == device && seen.st_ino == acks) {
        pthread_mutex_lock(&one);
        note('A', 0, 0, bytes, len);
        pthread_mutex_unlock(&one);
        return len;
    }
    if (!is_tracked(fd, &seen))
        return positioned ? syscall(SYS_pwrite64, fd, bytes, len, at) : syscall(SYS_write, fd, bytes, len);
    pthread_mutex_lock(&one);
    if (!positioned)
        at = fcntl(fd, F_GETFL) & O_APPEND ? (fstat(fd, &seen), seen.st_size) : lseek(fd, 0, SEEK_CUR);
    if (fails()) {
        if (fault) {
            pthread_mutex_unlock(&one);
            errno = fault;
            return -1;
        }
        len -= len / 2;
    }
    done = positioned ? syscall(SYS_pwrite64, fd, bytes, len, at) : syscall(SYS_write, fd, bytes, len);
    if (done > 0) note('W', seen.st_ino, at, bytes, done);
    pthread_mutex_unlock(&one);
    return done;
}

ssize_t write(int fd, const void *bytes, size_t len) { return written(fd, bytes, len, 0, 0); }
ssize_t pwrite(int fd, const void *bytes, size_t len, off_t at) { return written(fd, bytes, len, at, 1); }
ssize_t pwrite64(int fd, const void *bytes, size_t len, off64_t at) { return written(fd, bytes, len, at, 1); }

static int truncated(int fd, off_t len) {
    struct stat seen;
    int result;
    if (!is_tracked(fd, &seen)) return syscall(SYS_ftruncate, fd, len);
    pthread_mutex_lock(&one);
    if (fails() && fault) {
        pthread_mutex_unlock(&one);
        errno = fault;
        return -1;
    }
    result = syscall(SYS_ftruncate, fd, len);
    if (!result) note('T', seen.st_ino, len, "", 0);
    pthread_mutex_unlock(&one);
    return result;
}

int ftruncate(int fd, off_t len) { return truncated(fd, len); }
int ftruncate64(int fd, off64_t len) { return truncated(fd, len); }

static int synced(long number, int fd) {
    static uint64_t syncs;
    struct stat seen;
    uint64_t this;
    int result;
    if (!is_tracked(fd, &seen)) return syscall(number, fd);
    pthread_mutex_lock(&one);
    if (fails() && fault) {
        pthread_mutex_unlock(&one);
        errno = fault;
        return -1;
    }
    this = (uint64_t)getpid() << 32 | ++syncs;
    note('B', seen.st_ino, this, "", 0);
    pthread_mutex_unlock(&one);
    result = syscall(number, fd);
    pthread_mutex_lock(&one);
    if (!result) note('S', seen.st_ino, this, "", 0);
    pthread_mutex_unlock(&one);
    return result;
}

int fsync(int fd) { return synced(SYS_fsync, fd); }
int fdatasync(int fd) { return synced(SYS_fdatasync, fd); }

int rename(const char *from, const char *to) {
    const char *a = below(from), *b = below(to);
    char both[8192];
    int result;
    if (!a || !b) return REAL(rename)(from, to);
    pthread_mutex_lock(&one);
    if (fails() && fault) {
        pthread_mutex_unlock(&one);
        errno = fault;
        return -1;
    }
    result = REAL(rename)(from, to);
    if (!result) {
        int len = snprintf(both, sizeof both, "%s%c%s", a, 0, b);
        note('R', 0, 0, both, len);
    }
    pthread_mutex_unlock(&one);
    return result;
}

int unlink(const char *path) {
    const char *name = below(path);
    int result;
    if (!name) return REAL(unlink)(path);
    pthread_mutex_lock(&one);
    result = REAL(unlink)(path);
    if (!result) note('U', 0, 0, name, strlen(name));
    pthread_mutex_unlock(&one);
    return result;
}

int mkdir(const char *path, mode_t mode) {
    const char *name = below(path);
    struct stat seen;
    int result;
    if (!name) return REAL(mkdir)(path, mode);
    pthread_mutex_lock(&one);
    result = REAL(mkdir)(path, mode);
    if (!result && !stat(path, &seen)) {
        track(seen.st_ino);
        note('M', seen.st_ino, 0, name, strlen(name));
    }
    pthread_mutex_unlock(&one);
    return result;
}

/* The process is killed between two notes, or what the next life notes would be read as the rest of half a one, and a write
 * could be there that nobody has noted. */
void abort(void) {
    pthread_mutex_lock(&one);
    kill(getpid(), SIGKILL);
    for (;;) pause();
}
