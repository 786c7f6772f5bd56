// SPDX-License-Identifier: BSL-1.0
#include "libsolv.h"

#include <solv/pool.h>
#include <solv/repo.h>
#include <solv/solver.h>
#include <stdlib.h>
#include <string.h>

struct libsolv {
  Pool *pool;
  Repo *repo;
  Queue jobs;
  Id package;
};

libsolv *libsolv_new(void) {
  libsolv *self = calloc(1, sizeof *self);
  if (self == NULL) abort();
  self->pool = pool_create();
  self->repo = repo_create(self->pool, "bench");
  queue_init(&self->jobs);
  return self;
}

void libsolv_free(libsolv *self) {
  queue_free(&self->jobs);
  pool_free(self->pool);
  free(self);
}

static Id relation(libsolv *self, const char *name, const char *version, int flags) {
  return pool_rel2id(self->pool, pool_str2id(self->pool, name, 1),
                     pool_str2id(self->pool, version, 1), flags, 1);
}

void libsolv_add_package(libsolv *self, const char *name, const char *version) {
  self->package = repo_add_solvable(self->repo);
  Solvable *solvable = pool_id2solvable(self->pool, self->package);
  solvable->name = pool_str2id(self->pool, name, 1);
  solvable->evr = pool_str2id(self->pool, version, 1);
  solvable->arch = ARCH_NOARCH;
  solvable->provides = repo_addid_dep(self->repo, 0, relation(self, name, version, REL_EQ), 0);
}

void libsolv_add_requirement(libsolv *self, const char *name, const char *low, const char *high) {
  Solvable *solvable = pool_id2solvable(self->pool, self->package);
  solvable->requires =
      repo_addid_dep(self->repo, solvable->requires, relation(self, name, low, REL_GT | REL_EQ), 0);
  if (high == NULL) return;
  solvable->requires =
      repo_addid_dep(self->repo, solvable->requires, relation(self, name, high, REL_LT), 0);
}

void libsolv_want(libsolv *self, const char *name) {
  queue_push2(&self->jobs, SOLVER_INSTALL | SOLVER_SOLVABLE_NAME, pool_str2id(self->pool, name, 1));
}

unsigned long libsolv_solve(libsolv *self) {
  pool_createwhatprovides(self->pool);
  Solver *solver = solver_create(self->pool);
  const int problems = solver_solve(solver, &self->jobs);
  unsigned long length = 0;
  for (Id problem = 1; problem <= problems; problem++) {
    length += strlen(solver_problem2str(solver, problem));
  }
  solver_free(solver);
  return length;
}
