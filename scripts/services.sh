# Sourced by .ci/run: starts the services that the tests need. If no PostgreSQL or no Redis answers, `begin_services` installs
# Debian's packages, if it may, and starts one on a free port, which `end_services` stops. Tests skip what is still missing, and
# say so. Needs `bun` as a command or function.

services=$(mktemp -d)

begin_services() {
  TEST_DATABASE_URL=${TEST_DATABASE_URL:-postgres://postgres@127.0.0.1:5432/postgres}
  TEST_REDIS_URL=${TEST_REDIS_URL:-redis://127.0.0.1:6379}
  export TEST_DATABASE_URL TEST_REDIS_URL
  local packages=()
  postgres_answers || [ -x "$(postgres_programs)/initdb" ] || packages+=(postgresql)
  # Some tests start their own Redis in any case.
  command -v redis-server >/dev/null || packages+=(redis-server)
  command -v nginx >/dev/null || packages+=(nginx-light)
  for program in strace openssl curl; do
    command -v "$program" >/dev/null || packages+=("$program")
  done
  [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}" || echo "could not be installed: ${packages[*]}" >&2
  # Installed separately, because some releases of Debian lack it and would then install none of the packages.
  command -v caddy >/dev/null || install_packages caddy || echo 'could not be installed: caddy' >&2
  command -v chromium >/dev/null || command -v google-chrome >/dev/null || install_packages chromium ||
    echo 'could not be installed: chromium' >&2
  postgres_answers || start_postgres || echo 'no PostgreSQL answers, and none could be started' >&2
  redis_answers || start_redis || echo 'no Redis answers, and none could be started' >&2
}

end_services() {
  [ ! -f "$services/redis.pid" ] || kill "$(cat "$services/redis.pid")" || true
  [ ! -f "$services/postgres/postmaster.pid" ] ||
    as_postgres pg_ctl -D "$services/postgres" -m immediate -w stop >/dev/null || true
  rm -rf "$services"
}

install_packages() {
  command -v apt-get >/dev/null || return 1
  local root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo -n)
  "${root[@]}" apt-get update -q || true
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
}

postgres_answers() {
  bun -e 'await new Bun.SQL(process.env.TEST_DATABASE_URL, { max: 1, connectionTimeout: 5 }).unsafe("SELECT 1")
    process.exit()' >/dev/null 2>&1
}

redis_answers() {
  bun -e 'const redis = new Bun.RedisClient(process.env.TEST_REDIS_URL, { autoReconnect: false, connectionTimeout: 5000 })
    await redis.send("PING", [])
    process.exit()' >/dev/null 2>&1
}

# Debian does not put the server's programs into PATH.
postgres_programs() {
  dirname "$(command -v initdb || printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)"
}

# PostgreSQL refuses to run as root.
as_postgres() {
  local program
  program="$(postgres_programs)/$1"
  shift
  if [ "$(id -u)" -eq 0 ]; then (cd / && runuser -u postgres -- "$program" "$@"); else "$program" "$@"; fi
}

start_postgres() {
  local port data="$services/postgres"
  port=$(free_port)
  chmod 755 "$services" && mkdir -p "$data" || return
  [ "$(id -u)" -ne 0 ] || chown postgres "$data" || return
  as_postgres initdb -D "$data" -U postgres -A trust --no-sync >/dev/null || return
  # The data is deleted at the end, so fsync is not needed.
  as_postgres pg_ctl -D "$data" -w -l "$data/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off" start >/dev/null || return
  TEST_DATABASE_URL="postgres://postgres@127.0.0.1:$port/postgres"
  echo "started PostgreSQL for this run: $TEST_DATABASE_URL"
}

start_redis() {
  local port
  port=$(free_port)
  redis-server --port "$port" --bind 127.0.0.1 --save '' --dir "$services" --daemonize yes --pidfile "$services/redis.pid" \
    --logfile "$services/redis.log" >/dev/null || return
  TEST_REDIS_URL="redis://127.0.0.1:$port"
  local attempt
  for attempt in {1..20}; do ! redis_answers || break; done
  redis_answers || return
  echo "started Redis for this run: $TEST_REDIS_URL"
}

free_port() { bun -e 'console.log(Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } }).port); process.exit()'; }
