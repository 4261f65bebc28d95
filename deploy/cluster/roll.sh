#!/bin/sh
# Restarts all nodes one after another while the others serve, for a new binary or changed settings.
#
#   ./roll.sh            the nodes of convene@.service on this machine
#   ./roll.sh compose    the nodes of compose.yaml, after docker compose build
#
# Before a node stops, the script marks it `down` in nodes.conf, so that no request is lost, and removes the mark once the node is
# ready. DRAIN_SECONDS, at least 2, gives nginx time for that. A node that does not become ready stays down, and the script leaves
# the other nodes alone.
set -eu
cd "$(dirname "$0")"

case "${1:-units}" in
  units)
    nodes=/etc/nginx/convene/nodes.conf
    reload() { nginx -s reload; }
    # The last part of an address is the instance.
    restart() { systemctl restart "convene@${1##*:}"; }
    ready() { HOST=${1%:*} PORT=${1##*:} convene health --ready; }
    ;;
  compose)
    nodes=compose/nodes.conf
    reload() { docker compose exec -T nginx nginx -s reload; }
    service() { address=${1%:*}; echo "node${address##*.1}"; }
    restart() { docker compose up -d --no-deps --force-recreate "$(service "$1")"; }
    ready() { docker compose exec -T "$(service "$1")" convene health --ready; }
    ;;
  *)
    echo "usage: roll.sh [units | compose]" >&2
    exit 2
    ;;
esac

for node in $(sed -n 's/^server \([^ ;]*\).*/\1/p' "$nodes"); do
  sed -i "/^server $node[ ;]/{ s/ down;/;/; s/;/ down;/ }" "$nodes"
  reload
  restart "$node"
  tries=0
  until ready "$node" 2> /dev/null; do
    tries=$((tries + 1))
    if [ "$tries" = 60 ]; then
      echo "$node is not ready: look at its log. It stays marked as down in $nodes" >&2
      exit 1
    fi
    sleep 1
  done
  sed -i "/^server $node[ ;]/s/ down;/;/" "$nodes"
  reload
done
