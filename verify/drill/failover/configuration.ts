// Configuration of Patroni, etcd and HAProxy. docs/company.md recommends the same settings for production.

export interface NodePlan {
  readonly name: string;
  readonly dir: string;
  /** Ports of PostgreSQL and Patroni, and the ports of the proxies (walls) through which other nodes reach them. */
  readonly postgres_port: number;
  readonly postgres_wall_port: number;
  readonly rest_port: number;
  readonly rest_wall_port: number;
  readonly etcd_wall_port: number;
}

export interface Passwords {
  readonly superuser: string;
  readonly replication: string;
  readonly rewind: string;
}

/** A dead primary is replaced after at most `ttl` and a `loop_wait`; `loop_wait + 2 * retry_timeout` must fit into `ttl`. */
export const PATRONI_TIMES = { ttl_s: 20, loop_wait_s: 5, retry_timeout_s: 5 };

const SYNCHRONOUS = `\
    synchronous_mode: true
    synchronous_mode_strict: true
    synchronous_node_count: 2
`;
/** A lagging standby is promoted, and the transactions it lacks are lost. */
const ASYNCHRONOUS = `\
    synchronous_mode: false
    maximum_lag_on_failover: 1073741824
`;

export const patroniConfiguration = (
  node: NodePlan,
  postgresDir: string,
  passwords: Passwords,
  synchronous = true,
): string => `\
scope: sluice
name: ${node.name}

restapi:
  listen: 127.0.0.1:${node.rest_port}
  connect_address: 127.0.0.1:${node.rest_wall_port}

etcd3:
  hosts: 127.0.0.1:${node.etcd_wall_port}
  use_proxies: true

bootstrap:
  dcs:
    ttl: ${PATRONI_TIMES.ttl_s}
    loop_wait: ${PATRONI_TIMES.loop_wait_s}
    retry_timeout: ${PATRONI_TIMES.retry_timeout_s}
    primary_start_timeout: 0
${synchronous ? SYNCHRONOUS : ASYNCHRONOUS}\
    failsafe_mode: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters:
        synchronous_commit: 'on'
        wal_level: replica
        wal_log_hints: 'on'
        wal_keep_size: 512MB
        wal_receiver_timeout: 10s
        wal_sender_timeout: 10s
        wal_retrieve_retry_interval: 1s
        tcp_keepalives_idle: 10
        tcp_keepalives_interval: 5
        tcp_keepalives_count: 3
        tcp_user_timeout: 20s
        max_connections: 100
        shared_buffers: 128MB
        jit: 'off'
  initdb:
    - encoding: UTF8
    - locale: C
    - data-checksums

postgresql:
  listen: 127.0.0.1:${node.postgres_port}
  connect_address: 127.0.0.1:${node.postgres_wall_port}
  data_dir: ${node.dir}/data
  bin_dir: ${postgresDir}
  pgpass: ${node.dir}/pgpass
  authentication:
    superuser:
      username: postgres
      password: ${passwords.superuser}
    replication:
      username: replicator
      password: ${passwords.replication}
    rewind:
      username: rewinder
      password: ${passwords.rewind}
  parameters:
    unix_socket_directories: ${node.dir}
  pg_hba:
    - local all all scram-sha-256
    - host all all 127.0.0.1/32 scram-sha-256
    - host replication replicator 127.0.0.1/32 scram-sha-256
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
`;

/**
 * Routes every connection to the node whose Patroni holds the leader key, and closes connections to a node that lost it.
 */
export const haproxyConfiguration = (port: number, nodes: readonly NodePlan[]): string => `\
global
  maxconn 1000

defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
  option clitcpka
  option srvtcpka

listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 2 on-marked-down shutdown-sessions
${nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.postgres_wall_port} check port ${node.rest_wall_port}\n`).join('')}`;

export const etcdArguments = (dir: string, clientPort: number, peerPort: number): string[] => [
  '--name=etcd',
  `--data-dir=${dir}`,
  `--listen-client-urls=http://127.0.0.1:${clientPort}`,
  `--advertise-client-urls=http://127.0.0.1:${clientPort}`,
  `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-cluster=etcd=http://127.0.0.1:${peerPort}`,
  // The drill kills etcd but never the machine, so nothing is lost without fsync, and etcd does not wait for the fsyncs
  // of three PostgreSQL servers on the same disk.
  '--unsafe-no-fsync',
];
