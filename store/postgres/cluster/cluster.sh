#!/usr/bin/env bash
# Three PostgreSQL nodes under Patroni on etcd, on loopback, to hurt them.
#   cluster.sh up      installs Patroni into $WORK, starts the nodes, waits for a primary with a synchronous standby
#   cluster.sh kill    kills the primary's PostgreSQL and Patroni with SIGKILL; they are back after 20 seconds
#   cluster.sh pause   stops the primary's processes for 20 seconds
#   cluster.sh down    ends everything that up started, and removes its data
# Needs root, PostgreSQL (15 or newer) and etcd-server, python3 and python3-pip of the distribution. WORK is a folder that the
# user postgres may enter. Patroni before 4.1 is refused: 3.0.2 loses acknowledged commits in a partition.
set -euo pipefail
WORK=${WORK:-/var/tmp/memtree-cluster}
BIN=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
PG=15430 REST=18000 CLIENT=12390 PEER=12380

# Not a function around setsid: $! has to be the process itself.
patroni() {
  PYTHONPATH=$WORK/site setsid setpriv --reuid=postgres --regid=postgres --clear-groups nohup /usr/bin/python3 -c 'import sys
sys.argv[0] = "patroni"
from patroni.__main__ import main
main()' "$WORK/node$1.yml" >>"$WORK/patroni$1.log" 2>&1 &
  echo $! >"$WORK/patroni$1.pid"
}
primary() {
  for i in 1 2 3; do
    r=$(PGCONNECT_TIMEOUT=1 psql -h 127.0.0.1 -p $((PG + i)) -U postgres -Atc "select pg_is_in_recovery()" 2>/dev/null || true)
    [ "$r" = f ] && echo $i && return
  done
  return 1
}
# The processes of a node: Patroni, the server, and the server's workers.
processes() {
  local server
  server=$(head -1 "$WORK/data$1/postmaster.pid" 2>/dev/null || true)
  cat "$WORK/patroni$1.pid"
  [ -n "$server" ] && echo "$server" && pgrep -P "$server" || true
}

case ${1:-} in
up)
  mkdir -p "$WORK" && chown postgres "$WORK" && cd "$WORK"
  [ -d site ] || /usr/bin/python3 -m pip install -q --target=site 'patroni[etcd3]>=4.1' 'psycopg[binary]' 2>pip.log || { cat pip.log; exit 1; }
  chmod -R a+rX site
  all="" hosts=""
  for i in 1 2 3; do
    all="$all${all:+,}e$i=http://127.0.0.1:$((PEER + i))" hosts="$hosts${hosts:+,}127.0.0.1:$((CLIENT + i))"
  done
  for i in 1 2 3; do
    nohup etcd --name e$i --data-dir etcd$i --listen-client-urls http://127.0.0.1:$((CLIENT + i)) \
      --advertise-client-urls http://127.0.0.1:$((CLIENT + i)) --listen-peer-urls http://127.0.0.1:$((PEER + i)) \
      --initial-advertise-peer-urls http://127.0.0.1:$((PEER + i)) --initial-cluster "$all" \
      --initial-cluster-state new >etcd$i.log 2>&1 &
    echo $! >etcd$i.pid
  done
  sleep 2
  for i in 1 2 3; do
    cat >node$i.yml <<YAML
scope: memtree
name: node$i
restapi: {listen: "127.0.0.1:$((REST + i))", connect_address: "127.0.0.1:$((REST + i))"}
etcd3: {hosts: "$hosts"}
bootstrap:
  dcs:
    ttl: 10
    loop_wait: 2
    retry_timeout: 3
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: {max_connections: 150, shared_buffers: 64MB, synchronous_commit: "on", max_wal_size: 512MB}
  initdb: [{encoding: UTF8}, data-checksums]
  pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust", "local all all trust"]
postgresql:
  listen: 127.0.0.1:$((PG + i))
  connect_address: 127.0.0.1:$((PG + i))
  data_dir: $WORK/data$i
  bin_dir: $BIN
  pgpass: $WORK/pgpass$i
  authentication:
    replication: {username: rep, password: rep}
    superuser: {username: postgres, password: postgres}
    rewind: {username: rew, password: rew}
  parameters: {unix_socket_directories: "$WORK"}
YAML
    patroni $i
  done
  for _ in $(seq 90); do
    if p=$(primary); then
      n=$(psql -h 127.0.0.1 -p $((PG + p)) -U postgres -Atc \
        "select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum')")
      [ "$n" -ge 1 ] && echo "node$p is the primary, with a synchronous standby" && exit 0
    fi
    sleep 1
  done
  echo "no primary with a synchronous standby after 90 seconds; see $WORK/patroni1.log" >&2
  exit 1
  ;;
kill)
  p=$(primary) || { echo "no primary"; exit 0; }
  kill -9 $(processes $p) 2>/dev/null || true
  (sleep 20; patroni $p) >/dev/null 2>&1 &
  echo "killed node$p"
  ;;
pause)
  p=$(primary) || { echo "no primary"; exit 0; }
  all=$(processes $p)
  kill -STOP $all 2>/dev/null || true
  sleep 20
  kill -CONT $all 2>/dev/null || true
  echo "paused node$p"
  ;;
down)
  cd "$WORK" 2>/dev/null || exit 0
  for i in 1 2 3; do
    kill -CONT $(processes $i) 2>/dev/null || true
    kill -9 "$(cat patroni$i.pid)" "$(cat etcd$i.pid)" 2>/dev/null || true
    [ -f data$i/postmaster.pid ] && kill -INT "$(head -1 data$i/postmaster.pid)" 2>/dev/null || true
  done
  sleep 2
  rm -rf data? etcd? ./*.log ./*.pid node?.yml pgpass?
  ;;
*)
  sed -n '2,9s/^# //p' "$0"
  exit 2
  ;;
esac
