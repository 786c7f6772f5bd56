/* SPDX-License-Identifier: BSL-1.0
 *
 * tenon-read-files DIRECTORY: reads one page of each file in a directory, the minimum for a process
 * that lists modules. */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  DIR* directory = argc == 2 ? opendir(argv[1]) : NULL;
  struct dirent* entry;
  if (directory == NULL) return 2;
  while ((entry = readdir(directory)) != NULL) {
    char page[4096];
    int file;
    if (entry->d_name[0] == '.') continue;
    file = openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC);
    if (file < 0 || pread(file, page, sizeof page, 0) <= 0) return 3;
    close(file);
  }
  closedir(directory);
  return 0;
}
