// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A file system with faults: shows the files of a folder (no folders in it) at another one, and
// does to calls what it was told. It speaks the kernel's protocol for file systems in user space by
// itself, so that nothing has to be installed.
//
//     faulty_mount FOLDER MOUNT_POINT [--cached]
//
// Prints a line when it is there; the end of its standard input, or a signal, ends it. 77, a
// skipped test, says that mounts are not permitted here.
//
// What is written to the file .faults there, words as "seed=7 short=30", counts from then on, for
// files that are open for writing:
//
//     short=N      of a hundred transfers N are cut      eintr=N       and N say EINTR
//     enospc=B     after B more bytes the disk is full   edquot=B      and the quota is used up
//     eio_write=O  writes of byte O fail                 eio_read=O    and reads
//     fsync=N      the next N calls of fsync fail        flush=N       and of close
//     open=N       the N-th call of open is refused      seed=N        of what is random
//
// Reading it tells how many calls were cut and how many interrupted since: "cut 12 interrupted 5".
//
// With --cached the kernel keeps what it has seen of files for a minute, as a client of a network
// file system may: two such mounts of one folder do not see each other's writes.

#include <dirent.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kSkipped = 77;
constexpr std::uint32_t kMostWrite = 1 << 20;
constexpr std::uint64_t kControlNode = 2;
constexpr std::uint64_t kFirstNode = 3;
constexpr std::uint64_t kControlHandle = ~std::uint64_t{0};
constexpr const char* kControlName = ".faults";

// What is to go wrong. -1: nothing of that kind.
struct Faults {
  std::uint64_t random = 1;
  int cut = 0;
  int interrupted = 0;
  std::int64_t room = -1;
  int room_error = 0;
  std::int64_t write_at = -1;
  std::int64_t read_at = -1;
  int syncs = 0;
  int flushes = 0;
  int opens = 0;
  // What has come of it.
  int were_cut = 0;
  int were_interrupted = 0;

  // From 0 up to and without `limit` (splitmix64).
  std::uint64_t below(std::uint64_t limit) {
    std::uint64_t z = random += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % limit;
  }
  bool comes(int percent) { return below(100) < static_cast<std::uint64_t>(percent); }

  // False: a word is none.
  bool take(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) return false;
      const std::string key = word.substr(0, equals);
      const std::int64_t value = std::strtoll(word.c_str() + equals + 1, nullptr, 10);
      if (!take(key, value)) return false;
    }
    return true;
  }

 private:
  bool take(const std::string& key, std::int64_t value) {
    if (key == "seed")
      random = static_cast<std::uint64_t>(value);
    else if (key == "short")
      cut = static_cast<int>(value);
    else if (key == "eintr")
      interrupted = static_cast<int>(value);
    else if (key == "enospc")
      room = value, room_error = ENOSPC;
    else if (key == "edquot")
      room = value, room_error = EDQUOT;
    else if (key == "eio_write")
      write_at = value;
    else if (key == "eio_read")
      read_at = value;
    else if (key == "fsync")
      syncs = static_cast<int>(value);
    else if (key == "flush")
      flushes = static_cast<int>(value);
    else if (key == "open")
      opens = static_cast<int>(value);
    else
      return false;
    return true;
  }
};

// Whether it is the last one of a number that is counted down.
bool falls_to_zero(int& count) {
  return count > 0 && --count == 0;
}
bool is_one_of(int& count) {
  return count > 0 && count-- > 0;
}

// One file that somebody has open.
struct OpenFile {
  int fd = -1;
  bool has_faults = false;
};

class FileSystem {
 public:
  FileSystem(int device, int folder, bool is_cached)
      : device_(device), folder_(folder), is_cached_(is_cached), request_(kMostWrite + 8192) {}

  // One request. False: the file system has been unmounted.
  bool serve() {
    const ssize_t length = ::read(device_, request_.data(), request_.size());
    if (length < 0) return errno == EINTR || errno == EAGAIN || errno == ENOENT;
    if (static_cast<std::size_t>(length) < sizeof(fuse_in_header)) return false;
    std::memcpy(&head_, request_.data(), sizeof head_);
    body_ = request_.data() + sizeof head_;
    answer();
    return head_.opcode != FUSE_DESTROY;
  }

 private:
  template <class T>
  [[nodiscard]] T argument() const {
    T value{};
    // Older kernels send less.
    const std::size_t length = std::min<std::size_t>(sizeof value, head_.len - sizeof head_);
    std::memcpy(&value, body_, length);
    return value;
  }
  [[nodiscard]] const char* text(std::size_t behind = 0) const { return body_ + behind; }

  void reply(int error, const void* data = nullptr, std::size_t bytes = 0) {
    std::vector<char> message(sizeof(fuse_out_header) + bytes);
    fuse_out_header out{};
    out.len = static_cast<std::uint32_t>(message.size());
    out.error = -error;
    out.unique = head_.unique;
    std::memcpy(message.data(), &out, sizeof out);
    if (bytes != 0) std::memcpy(message.data() + sizeof out, data, bytes);
    // Whoever asked may be gone.
    if (::write(device_, message.data(), message.size()) < 0 && errno != ENOENT) {
      std::perror("faulty_mount: a reply");
    }
  }
  template <class T>
  void reply_with(const T& value) {
    reply(0, &value, sizeof value);
  }

  void answer();
  void answer_file();
  void init();
  void look_up();
  void get_attributes();
  void set_attributes();
  void open();
  void create();
  void read();
  void write();
  void control(const char* words, std::size_t length);
  void unlink();
  void read_folder();
  void file_system();
  void seek();

  [[nodiscard]] std::uint64_t node_of(const std::string& name) {
    const auto found = nodes_.find(name);
    if (found != nodes_.end()) return found->second;
    names_[next_node_] = name;
    return nodes_[name] = next_node_++;
  }
  [[nodiscard]] const char* name_of(std::uint64_t node) const {
    const auto found = names_.find(node);
    return found == names_.end() ? "" : found->second.c_str();
  }
  [[nodiscard]] int descriptor(std::uint64_t handle) const {
    const auto found = open_.find(handle);
    return found == open_.end() ? -1 : found->second.fd;
  }
  [[nodiscard]] bool has_faults(std::uint64_t handle) const {
    const auto found = open_.find(handle);
    return found != open_.end() && found->second.has_faults;
  }
  // errno, or 0
  [[nodiscard]] int attributes_of(std::uint64_t node, int fd, fuse_attr& out) const;
  [[nodiscard]] fuse_entry_out entry(std::uint64_t node, const fuse_attr& attributes) const {
    fuse_entry_out out{};
    out.nodeid = node;
    out.attr = attributes;
    out.attr_valid = out.entry_valid = valid_seconds();
    return out;
  }
  [[nodiscard]] std::uint64_t valid_seconds() const { return is_cached_ ? 60 : 0; }
  [[nodiscard]] fuse_open_out opened(int fd, std::uint32_t flags) {
    fuse_open_out out{};
    out.fh = next_handle_++;
    out.open_flags = is_cached_ ? 0 : FOPEN_DIRECT_IO;  // opening looks at the file anew
    open_[out.fh] = {fd, (flags & O_ACCMODE) != O_RDONLY};
    return out;
  }
  // Bytes of a transfer that are done, or the errno, negated, of what stops it.
  [[nodiscard]] std::int64_t allowed(std::int64_t offset, std::int64_t bytes, std::int64_t& bad);

  int device_;
  int folder_;
  bool is_cached_;
  Faults faults_;
  std::vector<char> request_;
  fuse_in_header head_{};
  const char* body_ = nullptr;
  std::map<std::string, std::uint64_t> nodes_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, OpenFile> open_;
  std::uint64_t next_node_ = kFirstNode;
  std::uint64_t next_handle_ = 1;
};

void FileSystem::init() {
  const auto in = argument<fuse_init_in>();
  fuse_init_out out{};
  out.major = FUSE_KERNEL_VERSION;
  out.minor = std::min<std::uint32_t>(in.minor, FUSE_KERNEL_MINOR_VERSION);
  out.max_readahead = in.max_readahead;
  out.flags = in.flags & (FUSE_BIG_WRITES | FUSE_MAX_PAGES | FUSE_ATOMIC_O_TRUNC);
  out.max_background = 16;
  out.congestion_threshold = 12;
  out.max_write = kMostWrite;
  out.max_pages = kMostWrite / 4096;
  out.time_gran = 1;
  reply_with(out);
}

int FileSystem::attributes_of(std::uint64_t node, int fd, fuse_attr& out) const {
  struct stat what {};
  if (node == kControlNode) {
    out = {};
    out.ino = node;
    out.mode = S_IFREG | 0666;
    out.nlink = 1;
    return 0;
  }
  int result = 0;
  if (fd >= 0) {
    result = ::fstat(fd, &what);
  } else if (node == FUSE_ROOT_ID) {
    result = ::fstat(folder_, &what);
  } else {
    result = ::fstatat(folder_, name_of(node), &what, AT_SYMLINK_NOFOLLOW);
  }
  if (result != 0) return errno;
  out = {};
  out.ino = what.st_ino;
  out.size = static_cast<std::uint64_t>(what.st_size);
  out.blocks = static_cast<std::uint64_t>(what.st_blocks);
  out.mtime = out.atime = static_cast<std::uint64_t>(what.st_mtim.tv_sec);
  out.ctime = static_cast<std::uint64_t>(what.st_ctim.tv_sec);
  out.mtimensec = out.atimensec = static_cast<std::uint32_t>(what.st_mtim.tv_nsec);
  out.ctimensec = static_cast<std::uint32_t>(what.st_ctim.tv_nsec);
  out.mode = what.st_mode;
  out.nlink = static_cast<std::uint32_t>(what.st_nlink);
  out.uid = what.st_uid;
  out.gid = what.st_gid;
  out.blksize = 4096;
  return 0;
}

void FileSystem::look_up() {
  const std::string name = text();
  fuse_attr attributes{};
  const bool is_control = name == kControlName;
  if (!is_control && ::faccessat(folder_, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
    reply(errno);
    return;
  }
  const std::uint64_t node = is_control ? kControlNode : node_of(name);
  const int error = attributes_of(node, -1, attributes);
  if (error != 0) {
    reply(error);
  } else {
    reply_with(entry(node, attributes));
  }
}

void FileSystem::get_attributes() {
  const auto in = argument<fuse_getattr_in>();
  const int fd = (in.getattr_flags & FUSE_GETATTR_FH) != 0 ? descriptor(in.fh) : -1;
  fuse_attr_out out{};
  out.attr_valid = valid_seconds();
  const int error = attributes_of(head_.nodeid, fd, out.attr);
  if (error != 0) {
    reply(error);
  } else {
    reply_with(out);
  }
}

void FileSystem::set_attributes() {
  const auto in = argument<fuse_setattr_in>();
  const int fd = (in.valid & FATTR_FH) != 0 ? descriptor(in.fh) : -1;
  int result = 0;
  if ((in.valid & FATTR_SIZE) != 0 && head_.nodeid != kControlNode) {
    const auto size = static_cast<off_t>(in.size);
    if (fd >= 0) {
      result = ::ftruncate(fd, size);
    } else {
      const int other = ::openat(folder_, name_of(head_.nodeid), O_WRONLY | O_CLOEXEC);
      result = other < 0 ? -1 : ::ftruncate(other, size);
      if (other >= 0) ::close(other);
    }
  }
  if (result == 0 && (in.valid & FATTR_MODE) != 0) {
    result = ::fchmodat(folder_, name_of(head_.nodeid), in.mode & 07777, 0);
  }
  fuse_attr_out out{};
  out.attr_valid = valid_seconds();
  const int error = result != 0 ? errno : attributes_of(head_.nodeid, fd, out.attr);
  if (error != 0) {
    reply(error);
  } else {
    reply_with(out);
  }
}

void FileSystem::open() {
  const auto in = argument<fuse_open_in>();
  if (head_.nodeid == kControlNode) {
    fuse_open_out out{};
    out.fh = kControlHandle;
    out.open_flags = FOPEN_DIRECT_IO;
    reply_with(out);
    return;
  }
  if (falls_to_zero(faults_.opens)) {
    reply(EACCES);
    return;
  }
  // With its page cache the kernel may want to read what is open for writing only.
  const auto flags = static_cast<int>(in.flags);
  const int wanted = (flags & O_ACCMODE) == O_WRONLY ? O_RDWR : flags & O_ACCMODE;
  const int fd = ::openat(folder_, name_of(head_.nodeid), wanted | (flags & O_TRUNC) | O_CLOEXEC);
  if (fd < 0) {
    reply(errno);
  } else {
    reply_with(opened(fd, in.flags));
  }
}

void FileSystem::create() {
  const auto in = argument<fuse_create_in>();
  const std::string name = text(sizeof in);
  struct {
    fuse_entry_out entry;
    fuse_open_out open;
  } out{};
  if (falls_to_zero(faults_.opens)) {
    reply(EACCES);
    return;
  }
  const auto asked = static_cast<int>(in.flags) & (O_EXCL | O_TRUNC);
  const int fd =
      ::openat(folder_, name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | asked, in.mode & 07777);
  if (fd < 0) {
    reply(errno);
    return;
  }
  fuse_attr attributes{};
  const std::uint64_t node = node_of(name);
  const int error = attributes_of(node, fd, attributes);
  if (error != 0) {
    ::close(fd);
    reply(error);
    return;
  }
  out.entry = entry(node, attributes);
  out.open = opened(fd, in.flags);
  reply_with(out);
}

std::int64_t FileSystem::allowed(std::int64_t offset, std::int64_t bytes, std::int64_t& bad) {
  if (faults_.comes(faults_.interrupted)) {
    ++faults_.were_interrupted;
    return -EINTR;
  }
  if (bytes > 1 && faults_.comes(faults_.cut)) {
    ++faults_.were_cut;
    bytes = 1 + static_cast<std::int64_t>(faults_.below(static_cast<std::uint64_t>(bytes - 1)));
  }
  if (bad < 0 || bad < offset || bad >= offset + bytes) return bytes;
  return bad == offset ? -EIO : bad - offset;
}

void FileSystem::read() {
  const auto in = argument<fuse_read_in>();
  auto bytes = static_cast<std::int64_t>(in.size);
  if (head_.nodeid == kControlNode) {
    const std::string counts = "cut " + std::to_string(faults_.were_cut) + " interrupted " +
                               std::to_string(faults_.were_interrupted) + "\n";
    const std::size_t from = std::min<std::size_t>(in.offset, counts.size());
    reply(0, counts.data() + from, counts.size() - from);
    return;
  }
  if (has_faults(in.fh)) {
    bytes = allowed(static_cast<std::int64_t>(in.offset), bytes, faults_.read_at);
  }
  if (bytes < 0) {
    reply(static_cast<int>(-bytes));
    return;
  }
  std::vector<char> data(static_cast<std::size_t>(bytes));
  const ssize_t done =
      ::pread(descriptor(in.fh), data.data(), data.size(), static_cast<off_t>(in.offset));
  if (done < 0) {
    reply(errno);
  } else {
    reply(0, data.data(), static_cast<std::size_t>(done));
  }
}

void FileSystem::control(const char* words, std::size_t length) {
  Faults told;
  if (!told.take(std::string(words, length))) {
    reply(EINVAL);
    return;
  }
  faults_ = told;
  fuse_write_out out{};
  out.size = static_cast<std::uint32_t>(length);
  reply_with(out);
}

void FileSystem::write() {
  const auto in = argument<fuse_write_in>();
  const char* const data = text(sizeof in);
  if (head_.nodeid == kControlNode) {
    control(data, in.size);
    return;
  }
  const auto offset = static_cast<std::int64_t>(in.offset);
  std::int64_t bytes = allowed(offset, in.size, faults_.write_at);
  if (bytes > 0 && faults_.room >= 0 && bytes > faults_.room) {
    bytes = faults_.room == 0 ? -faults_.room_error : faults_.room;
  }
  ssize_t done = bytes;
  if (bytes > 0) {
    done = ::pwrite(descriptor(in.fh), data, static_cast<std::size_t>(bytes), offset);
    if (done < 0) done = -errno;
  }
  if (done < 0) {
    reply(static_cast<int>(-done));
    return;
  }
  if (faults_.room >= 0) faults_.room -= done;
  fuse_write_out out{};
  out.size = static_cast<std::uint32_t>(done);
  reply_with(out);
}

void FileSystem::unlink() {
  const std::string name = text();
  if (::unlinkat(folder_, name.c_str(), 0) != 0) {
    reply(errno);
    return;
  }
  // Another file of this name is another file.
  const auto found = nodes_.find(name);
  if (found != nodes_.end()) {
    names_.erase(found->second);
    nodes_.erase(found);
  }
  reply(0);
}

void FileSystem::file_system() {
  struct statfs what {};
  if (::fstatfs(folder_, &what) != 0) {
    reply(errno);
    return;
  }
  fuse_statfs_out out{};
  out.st.blocks = what.f_blocks;
  out.st.bfree = what.f_bfree;
  out.st.bavail = what.f_bavail;
  out.st.files = what.f_files;
  out.st.ffree = what.f_ffree;
  out.st.bsize = static_cast<std::uint32_t>(what.f_bsize);
  out.st.frsize = out.st.bsize;
  out.st.namelen = 255;
  reply_with(out);
}

void FileSystem::seek() {
  const auto in = argument<fuse_lseek_in>();
  const off_t found =
      ::lseek(descriptor(in.fh), static_cast<off_t>(in.offset), static_cast<int>(in.whence));
  if (found < 0) {
    reply(errno);
    return;
  }
  fuse_lseek_out out{};
  out.offset = static_cast<std::uint64_t>(found);
  reply_with(out);
}

// Requests about a file that is open.
void FileSystem::answer_file() {
  switch (head_.opcode) {
    case FUSE_READ:
      return read();
    case FUSE_WRITE:
      return write();
    case FUSE_LSEEK:
      return seek();
    case FUSE_FLUSH: {
      const bool fails = has_faults(argument<fuse_flush_in>().fh) && is_one_of(faults_.flushes);
      return reply(fails ? EIO : 0);
    }
    case FUSE_FSYNC: {
      const auto in = argument<fuse_fsync_in>();
      if (is_one_of(faults_.syncs)) return reply(EIO);
      return reply(::fsync(descriptor(in.fh)) == 0 ? 0 : errno);
    }
    case FUSE_FALLOCATE: {
      const auto in = argument<fuse_fallocate_in>();
      const auto bytes = static_cast<std::int64_t>(in.length);
      if (faults_.room >= 0 && bytes > faults_.room) return reply(faults_.room_error);
      const int result = ::fallocate(descriptor(in.fh), static_cast<int>(in.mode),
                                     static_cast<off_t>(in.offset), static_cast<off_t>(bytes));
      return reply(result == 0 ? 0 : errno);
    }
    default: {
      const std::uint64_t handle = argument<fuse_release_in>().fh;
      const int fd = descriptor(handle);
      if (fd >= 0) ::close(fd);
      open_.erase(handle);
      return reply(0);
    }
  }
}

void FileSystem::answer() {
  switch (head_.opcode) {
    case FUSE_INIT:
      return init();
    case FUSE_LOOKUP:
      return look_up();
    case FUSE_GETATTR:
      return get_attributes();
    case FUSE_SETATTR:
      return set_attributes();
    case FUSE_OPEN:
      return open();
    case FUSE_CREATE:
      return create();
    case FUSE_UNLINK:
      return unlink();
    case FUSE_STATFS:
      return file_system();
    case FUSE_READ:
    case FUSE_WRITE:
    case FUSE_LSEEK:
    case FUSE_FLUSH:
    case FUSE_FSYNC:
    case FUSE_FALLOCATE:
    case FUSE_RELEASE:
      return answer_file();
    case FUSE_OPENDIR:
      return reply_with(fuse_open_out{});
    case FUSE_READDIR:  // nobody lists it: an empty one
    case FUSE_RELEASEDIR:
    case FUSE_DESTROY:
      return reply(0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
      return;  // nobody waits for an answer
    default:
      return reply(ENOSYS);
  }
}

volatile std::sig_atomic_t ended = 0;
void end(int) {
  ended = 1;
}

// Until somebody ends it.
void serve(FileSystem& files, int device) {
  pollfd wanted[2] = {{device, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  while (ended == 0) {
    if (::poll(wanted, 2, -1) < 0) continue;  // a signal
    if (wanted[1].revents != 0) return;
    if ((wanted[0].revents & POLLERR) != 0) return;
    if ((wanted[0].revents & POLLIN) != 0 && !files.serve()) return;
  }
}

int skip(const char* what) {
  std::fprintf(stderr, "faulty_mount: %s: %s\n", what, std::strerror(errno));
  return kSkipped;
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_cached = argc == 4 && std::string(argv[3]) == "--cached";
  if (argc < 3 || (argc > 3 && !is_cached)) {
    std::fprintf(stderr, "usage: faulty_mount FOLDER MOUNT_POINT [--cached]\n");
    return 2;
  }
  const int folder = ::open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    std::perror(argv[1]);
    return 1;
  }
  const int device = ::open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (device < 0) return skip("/dev/fuse");
  const std::string options =
      "fd=" + std::to_string(device) + ",rootmode=40000,user_id=0,group_id=0,allow_other";
  if (::mount("faulty", argv[2], "fuse", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
    return skip("mount");
  }
  struct sigaction action {};
  action.sa_handler = end;
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) ::sigaction(number, &action, nullptr);
  std::printf("mounted\n");
  std::fflush(stdout);
  FileSystem files(device, folder, is_cached);
  serve(files, device);
  ::umount2(argv[2], MNT_DETACH);
  return 0;
}
