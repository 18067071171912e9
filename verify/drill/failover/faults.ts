// The faults of the failover drill, each with its repair.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../kit/random.ts';
import { isWithin, until } from '../../kit/until.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterNode } from './node.ts';

interface Scene {
  readonly cluster: Cluster;
  readonly primary: ClusterNode;
  readonly random: Random;
  readonly signal: AbortSignal;
}

export interface ClusterFault {
  readonly about: string;
  /** Injects the fault, waits until the cluster has reacted, and resolves with the repair. */
  strike(scene: Scene): Promise<() => Promise<void> | void>;
}

const TAKEN_OVER_MS = 120_000;
const UNSEATED_MS = 20_000;
/** Longer than the TTL of the leader key plus the start of a standby. */
const LAGGING_MS = 60_000;
/** Longer than the TTL of Patroni's leader key. */
const ETCD_AWAY_MS = 30_000;

const othersThan = ({ cluster, primary }: Scene): ClusterNode[] =>
  cluster.nodes.filter((node) => node !== primary);

const takenOver = async (scene: Scene): Promise<void> => {
  const { cluster, primary, random, signal } = scene;
  const others = othersThan(scene);
  const isThere = async (): Promise<boolean> => (await cluster.primary(others)) !== null;
  await until(isThere, `a standby takes over from ${primary.name}`, TAKEN_OVER_MS, signal);
  await sleep(random.between(2_000, 6_000), undefined, { signal });
};

/** Waits until the primary no longer reports itself as primary; it may also have been re-elected between two polls. */
const unseated = ({ cluster, primary, signal }: Scene): Promise<boolean> =>
  isWithin(UNSEATED_MS, async () => (await cluster.primary()) !== primary, signal);

const faults = {
  node: {
    about: 'the primary, its Patroni and all their processes are killed',
    async strike(scene) {
      await scene.primary.killEverything();
      await takenOver(scene);
      return () => scene.primary.start();
    },
  },
  postmaster: {
    about: 'the postmaster of the primary is killed; its Patroni detects it',
    async strike(scene) {
      await scene.primary.killPostmaster();
      await unseated(scene);
      return () => {};
    },
  },
  patroni: {
    about: 'the Patroni of the primary is killed; PostgreSQL keeps running as primary without it',
    async strike(scene) {
      await scene.primary.killPatroni();
      await takenOver(scene);
      return () => scene.primary.start();
    },
  },
  freeze: {
    about: 'all processes of the primary are suspended until a standby has been promoted, then resumed',
    async strike(scene) {
      await scene.primary.freeze();
      await takenOver(scene);
      return () => scene.primary.thaw();
    },
  },
  partition: {
    about: 'the primary is partitioned from everything; delayed packets are delivered afterwards',
    async strike(scene) {
      const others = othersThan(scene);
      scene.primary.isolate(others);
      await takenOver(scene);
      return () => scene.primary.rejoin(others);
    },
  },
  lag: {
    about: 'both standbys are killed, seconds later the primary; the standbys are restarted first',
    async strike(scene) {
      const { cluster, primary, random, signal } = scene;
      const standbys = othersThan(scene);
      // Killed and not frozen: a frozen standby reads its socket buffers when it resumes, so it would miss nothing.
      await Promise.all(standbys.map((node) => node.killEverything()));
      await sleep(random.between(2_000, 4_000), undefined, { signal });
      await primary.killEverything();
      for (const node of standbys) node.start();
      // With synchronous replication Patroni may already have removed both from its sync key; then only the old primary
      // may lead.
      await isWithin(LAGGING_MS, async () => (await cluster.primary(standbys)) !== null, signal);
      return () => primary.start();
    },
  },
  standby: {
    about: 'a synchronous standby is killed with all its processes',
    async strike(scene) {
      const { random, signal } = scene;
      const standby = random.pick(othersThan(scene));
      await standby.killEverything();
      await sleep(random.between(5_000, 10_000), undefined, { signal });
      return () => standby.start();
    },
  },
  etcd: {
    about: `etcd is killed and stays down for ${ETCD_AWAY_MS / 1000} s`,
    async strike({ cluster, signal }) {
      await cluster.killEtcd();
      await sleep(ETCD_AWAY_MS, undefined, { signal });
      return () => cluster.startEtcd();
    },
  },
  switchover: {
    about: 'a planned switchover, as before maintenance',
    async strike(scene) {
      await scene.cluster.switchOver(scene.primary);
      await unseated(scene);
      return () => {};
    },
  },
} satisfies Record<string, ClusterFault>;

export type FaultName = keyof typeof faults;
export const CLUSTER_FAULTS: Readonly<Record<FaultName, ClusterFault>> = faults;
export const FAULT_NAMES = Object.keys(CLUSTER_FAULTS) as FaultName[];

/** Each kind once per round, in random order. */
export function planFaults(names: readonly FaultName[], cycles: number, random: Random): FaultName[] {
  const next = random.rounds(names);
  return Array.from({ length: cycles }, () => next.next().value);
}
