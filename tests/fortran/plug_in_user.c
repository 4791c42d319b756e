/* Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause */
/* Opens each plug-in by itself (RTLD_LOCAL) and calls its function, named as its file. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    void* plug_in = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (plug_in == NULL) {
      puts(dlerror());
      return 1;
    }
    char name[64] = "";
    strncpy(name, strrchr(argv[i], '/') + 1, sizeof name - 1);
    *strchr(name, '.') = '\0';
    int (*function)(void);
    *(void**)&function = dlsym(plug_in, name);
    if (function == NULL || function() != 0) {
      printf("%s: wrong\n", argv[i]);
      return 1;
    }
  }
  puts("as wanted");
  return 0;
}
