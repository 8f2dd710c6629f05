/* A library that a process preloads. It records the calls of the process that change files below the
 * directory RECORD_ROOT. Each record is a note, which the library appends to the file RECORD_LOG.
 *
 * A lock covers a write and its note, so notes have the order of the writes. A sync has a note before it
 * and a note after it. It covers the changes that were noted before its first note. A write to the file
 * `acks` is only noted.
 *
 * FAULT_AT is a number, from 1, among the calls that write, truncate, sync or rename. This call fails with
 * the error number FAULT. If FAULT is 0, a write writes only half of its bytes. FAULT_SYNC is the number,
 * from 1, of a sync that fails. If FAULT_FILE names a file below the root, only syncs of this file are
 * counted.
 *
 * A failed sync has a note. After a failed sync, Linux marks the pages that it could not write as clean:
 * later syncs succeed and reads return the pages, but the disk has older content. RECORD_LOST names a file
 * with the disk's content of these pages. When the process tells the kernel to drop the pages of a file
 * (fadvise64 with POSIX_FADV_DONTNEED), the shim writes the disk's content into the file and adds a note,
 * so that the process reads the disk's content. The process may call fadvise64 without the C library, so a
 * seccomp filter converts the call to a signal. If the system permits no filter, the process ends with code
 * 97.
 *
 * The format of a note: kind (1 byte), inode (8), position (8), length (8), and as many bytes as the
 * length. Numbers are little-endian.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
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
static long fault_at, calls, fault_sync, sync_calls;
static int fault;
static const char *fault_file;
/* The disk's content of a page that a failed sync has marked as clean. */
static struct lost {
    uint64_t inode, at, len;
    char bytes[4096];
} *lost;
static size_t lost_len;

static void trap_fadvise(void);
static void read_lost(const char *path);

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
    fault_file = getenv("FAULT_FILE");
    fault_sync = getenv("FAULT_SYNC") ? atol(getenv("FAULT_SYNC")) : 0;
    log_fd = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (log_fd < 0) die("the log");
    if (getenv("RECORD_LOST")) {
        read_lost(getenv("RECORD_LOST"));
        trap_fadvise();
    }
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

/* Returns the path relative to the root. NULL outside the root, and for files whose content does not matter. */
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

static void read_lost(const char *path) {
    struct stat seen;
    FILE *file = fopen(path, "re");
    if (!file || fstat(fileno(file), &seen)) die("the lost pages");
    lost_len = seen.st_size / sizeof *lost;
    lost = malloc(seen.st_size + 1);
    if (fread(lost, sizeof *lost, lost_len, file) != lost_len) die("the lost pages");
    fclose(file);
}

/* Forgets the lost pages with these bytes of a file, because the process overwrites the bytes. */
static void renewed(ino_t inode, uint64_t from, uint64_t to) {
    for (size_t at = 0; at < lost_len; at++)
        if (lost[at].inode == inode && lost[at].at < to && from < lost[at].at + sizeof lost->bytes) lost[at].inode = 0;
}

static void dropped(int fd) {
    struct stat seen;
    char path[64];
    int to;
    if (!is_tracked(fd, &seen)) return;
    pthread_mutex_lock(&one);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    to = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    if (to < 0) die("the file to drop");
    for (size_t at = 0; at < lost_len; at++) {
        if (lost[at].inode != seen.st_ino) continue;
        if (syscall(SYS_pwrite64, to, lost[at].bytes, lost[at].len, lost[at].at) < 0) die("dropping");
        lost[at].inode = 0;
    }
    close(to);
    note('D', seen.st_ino, 0, "", 0);
    pthread_mutex_unlock(&one);
}

static void trapped(int signal, siginfo_t *info, void *context) {
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    int before = errno;
    (void)signal, (void)info;
#if defined(__x86_64__)
    if (machine->gregs[REG_R10] == POSIX_FADV_DONTNEED) dropped(machine->gregs[REG_RDI]);
    machine->gregs[REG_RAX] = 0;
#elif defined(__aarch64__)
    if (machine->regs[3] == POSIX_FADV_DONTNEED) dropped(machine->regs[0]);
    machine->regs[0] = 0;
#else
    (void)machine, (void)dropped;
#endif
    errno = before;
}

static void trap_fadvise(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fadvise64, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_RESTART};
#if !defined(__x86_64__) && !defined(__aarch64__)
    _exit(97);
#endif
    if (sigaction(SIGSYS, &action, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        _exit(97);
}

/* Counts a call. Returns 1 if the call must fail. The caller holds the lock. */
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
            if (!was_there || flags & O_TRUNC) renewed(seen.st_ino, 0, UINT64_MAX);
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
    if (done > 0) {
        renewed(seen.st_ino, at, at + done);
        note('W', seen.st_ino, at, bytes, done);
    }
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
    if (!result) {
        if (len < seen.st_size) renewed(seen.st_ino, len, UINT64_MAX);
        note('T', seen.st_ino, len, "", 0);
    }
    pthread_mutex_unlock(&one);
    return result;
}

int ftruncate(int fd, off_t len) { return truncated(fd, len); }
int ftruncate64(int fd, off64_t len) { return truncated(fd, len); }

/* Counts a sync. Returns 1 if the sync must fail. The caller holds the lock. */
static int fails_to_sync(int fd) {
    char link[64], path[4096] = "";
    const char *name;
    if (!fault_sync) return 0;
    if (fault_file) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, path, sizeof path - 1) < 0 || !(name = below(path)) || strcmp(name, fault_file)) return 0;
    }
    return ++sync_calls == fault_sync;
}

static int synced(long number, int fd) {
    static uint64_t syncs;
    struct stat seen;
    uint64_t this;
    int result;
    if (!is_tracked(fd, &seen)) return syscall(number, fd);
    pthread_mutex_lock(&one);
    if ((fails() && fault) || fails_to_sync(fd)) {
        note('F', seen.st_ino, 0, "", 0);
        pthread_mutex_unlock(&one);
        errno = fault ? fault : EIO;
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

/* Kills the process between two notes. Otherwise the last note could be incomplete, or a write could have
 * no note. */
void abort(void) {
    pthread_mutex_lock(&one);
    kill(getpid(), SIGKILL);
    for (;;) pause();
}
