#!/usr/bin/env bash
# Three PostgreSQL nodes under Patroni on etcd, to hurt them. Each is in a network namespace, on a disk of its own.
#   cluster.sh up            installs Patroni into $WORK, starts the nodes, waits for a primary with two standbys
#   cluster.sh hurt FAULT    does a fault to the primary, takes it away after a while, and prints what was done
#   cluster.sh down          ends everything that up started, and removes its data
# FAULT: kill (SIGKILL, back after 20 s), pause (SIGSTOP, 25 s), peers (cut off from the other nodes, 25 s), clients (cut
# off from clients, 20 s), answers (what clients send arrives, no answer does, 20 s), alone (cut off from all, 25 s),
# full (no byte free on its disk, 20 s), slow (20 writes a second, 25 s), crash (a worker killed while the standbys are
# cut off, then all of it), handover (a planned one).
# Needs root, PostgreSQL (15 or newer), etcd-server, iproute2, curl, e2fsprogs, python3 and python3-pip of the
# distribution. WORK is a folder that the user postgres may enter. Everything stays in namespaces made here, 10.77.0.0/24.
# PATRONI is another version of it, as in PATRONI='patroni[etcd3]==3.0.2'.
set -euo pipefail
WORK=${WORK:-/var/tmp/memtree-cluster}
BIN=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
PATRONI=${PATRONI:-patroni[etcd3]>=4.1} # another one, to see what it loses
SITE=$WORK/site-$(tr -c 'a-z0-9.\n' - <<<"$PATRONI")
NET=10.77.0 SLOW=/sys/fs/cgroup/blkio/memtree

# inside NODE COMMAND: it becomes the command, so that $! is the process itself.
inside() {
  local n=$1
  shift
  exec setsid ip netns exec memtree$n "$@"
}
patroni() {
  inside $1 setpriv --reuid=postgres --regid=postgres --clear-groups env PYTHONPATH="$SITE" /usr/bin/python3 -c 'import sys
sys.argv[0] = "patroni"
from patroni.__main__ import main
main()' "$WORK/node$1.yml" >>"$WORK/patroni$1.log" 2>&1 </dev/null &
  echo $! >"$WORK/patroni$1.pid"
  [ -d $SLOW$1 ] && echo $! >$SLOW$1/cgroup.procs || true
}
sql() { PGCONNECT_TIMEOUT=1 timeout 3 psql -h $NET.$1 -U postgres -Atc "$2" 2>/dev/null; }
primary() {
  for i in 1 2 3; do
    r=$(sql $i "select pg_is_in_recovery()" || true)
    [ "$r" = f ] && echo $i && return
  done
  return 1
}
server() { head -1 "$WORK/disk$1/data/postmaster.pid" 2>/dev/null || true; }
# The processes of a node: Patroni, the server, and the server's workers.
processes() {
  cat "$WORK/patroni$1.pid"
  local s
  s=$(server $1)
  if [ -n "$s" ]; then
    echo "$s"
    pgrep -P "$s" || true
  fi
}
peers() { for i in 1 2 3; do [ $i = $1 ] || echo $i; done; }
# route add|del NODE ADDRESS: a node's way to an address ends nowhere.
route() { ip -n memtree$2 route $1 blackhole $3/32; }
# whole PRIMARY: both standbys stream, and one is synchronous as Patroni has written it down. The server alone says so two
# seconds earlier, when no failover would follow yet.
whole() {
  curl -s -m 2 "http://$NET.$1:8008/cluster" | grep -Eq '"role": "(sync|quorum)_standby"' &&
    [ "$(sql $1 "select count(*) from pg_stat_replication where state = 'streaming'" || true)" = 2 ]
}
# renew NODE: clones a standby that cannot start, as an operator would. One that is killed while it follows a primary
# that is gone may have recovered past the point where the next one's timeline begins, and Patroni does not always see it.
renew() {
  curl -s -m 2 "http://$NET.$1:8008/" | grep -q '"state": "start failed"' || return 0
  echo "node$1 does not start; it is cloned from the primary" >&2
  curl -s -m 5 "http://$NET.$1:8008/reinitialize" -d '{"force": true}' >&2
  echo >&2
}
waitfor() {
  for second in $(seq $1); do
    if [ $((second % 30)) = 0 ]; then
      for i in 1 2 3; do renew $i; done
    fi
    if p=$(primary) && whole $p; then
      echo "node$p is the primary, with two standbys, one of them synchronous"
      return
    fi
    sleep 1
  done
  echo "no primary with two standbys, one of them synchronous, after $1 seconds; see $WORK/patroni1.log" >&2
  return 1
}

up() {
  mkdir -p "$WORK" && chown postgres "$WORK" && cd "$WORK"
  [ -d "$SITE" ] || /usr/bin/python3 -m pip install -q --target="$SITE" "$PATRONI" 'psycopg[binary]' 2>pip.log ||
    { cat pip.log; exit 1; }
  chmod -R a+rX "$SITE"
  ip link add memtree0 type bridge && ip addr add $NET.254/24 dev memtree0 && ip link set memtree0 up
  all="" hosts=""
  for i in 1 2 3; do
    all="$all${all:+,}e$i=http://$NET.$i:2380" hosts="$hosts${hosts:+,}$NET.$i:2379"
  done
  for i in 1 2 3; do
    ip netns add memtree$i
    ip link add memtreev$i type veth peer name eth0 netns memtree$i
    ip link set memtreev$i master memtree0 up
    ip -n memtree$i addr add $NET.$i/24 dev eth0
    ip -n memtree$i link set eth0 up
    ip -n memtree$i link set lo up
    truncate -s 4G disk$i.img && mkfs.ext4 -q disk$i.img && mkdir -p disk$i && mount -o loop disk$i.img disk$i
    mkdir -p disk$i/data && chown postgres disk$i disk$i/data && chmod 700 disk$i/data
    mkdir -p $SLOW$i 2>/dev/null || true
    inside $i etcd --name e$i --data-dir "$WORK/etcd$i" --listen-client-urls http://$NET.$i:2379 \
      --advertise-client-urls http://$NET.$i:2379 --listen-peer-urls http://$NET.$i:2380 \
      --initial-advertise-peer-urls http://$NET.$i:2380 --initial-cluster "$all" --initial-cluster-state new \
      --heartbeat-interval 200 --election-timeout 2000 >etcd$i.log 2>&1 </dev/null &
    echo $! >etcd$i.pid
  done
  sleep 3
  for i in 1 2 3; do
    config $i "$hosts" >node$i.yml
    patroni $i
  done
  waitfor 90
}
config() {
  cat <<YAML
scope: memtree
name: node$1
restapi: {listen: "$NET.$1:8008", connect_address: "$NET.$1:8008"}
etcd3: {hosts: "$2"}
bootstrap:
  dcs:
    ttl: 20 # the least that Patroni takes
    loop_wait: 2
    retry_timeout: 3
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: {max_connections: 400, shared_buffers: 64MB, synchronous_commit: "on", max_wal_size: 512MB,
        wal_keep_size: 512MB, wal_sender_timeout: 10s, wal_receiver_timeout: 10s, tcp_user_timeout: 10000}
  initdb: [{encoding: UTF8}, data-checksums]
postgresql:
  listen: $NET.$1:5432
  connect_address: $NET.$1:5432
  data_dir: $WORK/disk$1/data
  bin_dir: $BIN
  pgpass: $WORK/pgpass$1
  pg_hba: ["host all all $NET.0/24 trust", "host replication all $NET.0/24 trust", "local all all trust"]
  authentication:
    replication: {username: rep, password: rep}
    superuser: {username: postgres, password: postgres}
    rewind: {username: rew, password: rew}
  parameters: {unix_socket_directories: "$WORK/disk$1"}
YAML
}
killnode() { kill -9 $(processes $1) 2>/dev/null || true; }
throttle() { echo "$(cat /sys/block/$(basename "$(findmnt -no SOURCE "$WORK/disk$1")")/dev) $2" >$SLOW$1/blkio.throttle.write_iops_device; }

hurt() {
  p=$(primary) || { echo "no primary"; exit 0; }
  case $1 in
  kill) killnode $p; sleep 20; patroni $p ;;
  pause) all=$(processes $p); kill -STOP $all 2>/dev/null || true; sleep 25; kill -CONT $all 2>/dev/null || true ;;
  peers)
    for i in $(peers $p); do route add $p $NET.$i; done
    sleep 25
    for i in $(peers $p); do route del $p $NET.$i; done
    ;;
  clients) ip route add blackhole $NET.$p/32; sleep 20; ip route del blackhole $NET.$p/32 ;;
  answers) route add $p $NET.254; sleep 20; route del $p $NET.254 ;;
  alone) ip link set memtreev$p down; sleep 25; ip link set memtreev$p up ;;
  full)
    cd "$WORK/disk$p"
    dd if=/dev/zero of=filler bs=1M 2>/dev/null || true # until there is no byte free
    dd if=/dev/zero of=filler bs=512 oflag=append conv=notrunc 2>/dev/null || true
    sleep 20
    rm -f filler
    ;;
  slow) throttle $p 20; sleep 25; throttle $p 0 ;;
  crash)
    for i in $(peers $p); do ip -n memtree$p rule add to $NET.$i ipproto tcp sport 5432 blackhole; done
    kill -9 "$(pgrep -P "$(server $p)" -f 'walwriter')" || true
    sleep 4
    killnode $p
    for i in $(peers $p); do ip -n memtree$p rule del to $NET.$i ipproto tcp sport 5432 blackhole; done
    sleep 16
    patroni $p
    ;;
  handover)
    curl -s -m 60 "http://$NET.$p:8008/switchover" -d "{\"leader\": \"node$p\"}"
    echo
    ;;
  *) echo "no fault is named $1" >&2; exit 2 ;;
  esac
  echo "$1 of node$p"
}

down() {
  cd "$WORK" 2>/dev/null || exit 0
  for i in 1 2 3; do
    kill -CONT $(processes $i) 2>/dev/null || true
    kill -9 "$(cat patroni$i.pid)" "$(cat etcd$i.pid)" $(processes $i) 2>/dev/null || true
  done
  ip route del blackhole $NET.1/32 2>/dev/null || ip route del blackhole $NET.2/32 2>/dev/null ||
    ip route del blackhole $NET.3/32 2>/dev/null || true
  for _ in $(seq 20); do # processes that archive or connect at this moment
    left=$(for i in 1 2 3; do ip netns pids memtree$i 2>/dev/null || true; done)
    [ -z "$left" ] && break
    kill -9 $left 2>/dev/null || true
    sleep .5
  done
  for i in 1 2 3; do
    umount disk$i 2>/dev/null || true
    ip netns del memtree$i 2>/dev/null || true
    ip link del memtreev$i 2>/dev/null || true
    rmdir $SLOW$i 2>/dev/null || true
  done
  ip link del memtree0 2>/dev/null || true
  rm -rf disk?.img etcd? ./*.log ./*.pid node?.yml pgpass?
  rmdir disk? 2>/dev/null || true
}

case ${1:-} in
up) up ;;
hurt) hurt "${2:?which fault}" ;;
wait) waitfor 120 ;;
down) down ;;
*) sed -n '2,14s/^# //p' "$0"; exit 2 ;;
esac
