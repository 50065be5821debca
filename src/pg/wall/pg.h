// The server's headers, for C++, and every difference between PostgreSQL 13 and 18.
//
// Comes last among the includes of a file: the server redefines printf and other common names.
#pragma once

extern "C" {
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/plannodes.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#if PG_VERSION_NUM >= 140000
#include "utils/wait_event.h"
#endif
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#endif
}

#if PG_VERSION_NUM < 130000
#error "sparselin needs PostgreSQL 13 or later"
#endif

// The type has had this name since 14.
#ifndef MONEYOID
#define MONEYOID CASHOID
#endif

// PGDLLEXPORT says nothing on Linux up to 15, and we build with hidden visibility.
#define SPARSELIN_VISIBLE_BEGIN _Pragma("GCC visibility push(default)") extern "C" {
#define SPARSELIN_VISIBLE_END \
    }                         \
    _Pragma("GCC visibility pop")

// A function that SQL can call: SPARSELIN_FUNCTION(sparsearray_in) { ... fcinfo ... }
#define SPARSELIN_FUNCTION(name) \
    SPARSELIN_VISIBLE_BEGIN      \
    PG_FUNCTION_INFO_V1(name);   \
    SPARSELIN_VISIBLE_END        \
    Datum name([[maybe_unused]] PG_FUNCTION_ARGS)

// One that only says what it returns: SPARSELIN_RETURNS(sparselin_info, info(fcinfo))
#define SPARSELIN_RETURNS(name, datum) \
    SPARSELIN_FUNCTION(name) {         \
        return datum;                  \
    }

// Up to 15 nobody can ask for an error to be kept instead of raised.
#if PG_VERSION_NUM < 160000
#define errsave(context, ...)        \
    do {                             \
        (void)(context);             \
        ereport(ERROR, __VA_ARGS__); \
    } while (0)
#endif

namespace sparselin {

// How many bytes that were, or fewer than 1. What is written is const from 16 on.
inline auto read_at(File file, char* target, size_t size, int64 position) {
    return FileRead(file, target, static_cast<int>(size), static_cast<off_t>(position), WAIT_EVENT_BUFFILE_READ);
}
inline auto write_at(File file, const char* source, size_t size, int64 position) {
    return FileWrite(file, const_cast<char*>(source), static_cast<int>(size), static_cast<off_t>(position),
                     WAIT_EVENT_BUFFILE_WRITE);
}

// Whether a role has the rights of another one, or can take them with SET ROLE. From 16 on a membership may give the
// one and not the other; before, either is to be had by any member.
inline bool can_act_as(Oid member, Oid role) {
#if PG_VERSION_NUM >= 160000
    return has_privs_of_role(member, role) || member_can_set_role(member, role);
#else
    return is_member_of_role_nosuper(member, role);
#endif
}

// VARATT_EXTERNAL_IS_COMPRESSED compares numbers of different signs.
inline bool is_compressed(const varatt_external& pointer) {
#if PG_VERSION_NUM >= 140000
    const int64 stored = VARATT_EXTERNAL_GET_EXTSIZE(pointer);
#else
    const int64 stored = pointer.va_extsize;
#endif
    return stored < int64{pointer.va_rawsize} - VARHDRSZ;
}

// The role that stands for whoever owns the database: to it belongs schema public since 15.
inline bool is_database_owner_role([[maybe_unused]] Oid role) {
#if PG_VERSION_NUM >= 140000
    return role == ROLE_PG_DATABASE_OWNER;
#else
    return false;
#endif
}

// Up to 13 what is to be written comes from several plans, later from the one on the left.
inline List* plans_to_write_from([[maybe_unused]] const Plan* modify_table) {
#if PG_VERSION_NUM < 140000
    return reinterpret_cast<const ModifyTable*>(modify_table)->plans;
#else
    return NIL;
#endif
}

// Who may see what other sessions do.
#if PG_VERSION_NUM >= 140000
constexpr Oid read_all_stats_role = ROLE_PG_READ_ALL_STATS;
#else
constexpr Oid read_all_stats_role = DEFAULT_ROLE_READ_ALL_STATS;
#endif

// What the i-th process of the server does, from 1 on, as it was when the transaction first looked.
inline const LocalPgBackendStatus* local_backend_status(int i) {
#if PG_VERSION_NUM >= 160000
    return pgstat_get_local_beentry_by_index(i);
#else
    return pgstat_fetch_stat_local_beentry(i);
#endif
}

// What others see of this process; nullptr where it is not to be seen, or only by the server, as up to 13.
inline const PgBackendStatus* own_status() {
#if PG_VERSION_NUM >= 140000
    return MyBEEntry;
#else
    return nullptr;
#endif
}

// No other names may begin with `prefix` and a point.
inline void reserve_parameters(const char* prefix) {
#if PG_VERSION_NUM >= 150000
    MarkGUCPrefixReserved(prefix);
#else
    EmitWarningsOnPlaceholders(prefix);
#endif
}

}  // namespace sparselin
