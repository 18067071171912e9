import { Alert, Badge, Button, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { post } from '../../api/request.ts';
import type { RegistrationChanges, RegistrationPlan } from '../../api/types.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { Failure } from './failure.tsx';
import type { InquiryAnswer } from './use-inquiry.ts';
import { isPlan, usePlan } from './use-plan.ts';
import { words } from './words.ts';

type Action = 'create' | 'rename' | 'update' | 'replace' | 'keep';
const COLORS: Record<Action, string> = {
  create: 'water',
  rename: 'orange',
  update: 'orange',
  replace: 'orange',
  keep: 'gray',
};

interface PlanProps {
  answer: InquiryAnswer;
  picked: ReadonlySet<string>;
  onDone: (changes: RegistrationChanges) => void;
}

/** Shown before applying: what it will do, or why it is not possible. */
export function Plan({ answer, picked, onDone }: PlanProps) {
  const w = useWords(words);
  const c = useWords(common);
  const { info, channel, code } = answer;
  const codes = info.skus.map((sku) => sku.option_code).filter((one) => picked.has(one));
  const { plan, error, isCurrent, retry } = usePlan(answer, codes);
  const apply = useSend(
    async (option_codes: string[]) => {
      const to = apiPath('/channels/{id}/product-info/apply', { id: channel.id });
      const changes = await post(to, { usercode: code, option_codes });
      if (isPlan(changes)) throw new TypeError('what was applied is not answered with a plan');
      return changes;
    },
    {
      refresh: ['/products', '/channels', '/stock', '/allocations', '/overview'],
      failure: 'inline',
      onDone,
    },
  );
  const isFaulty = info.errors.length > 0;
  const why = isFaulty
    ? w.whyViolations
    : codes.length === 0
      ? w.whyNone
      : error !== null
        ? w.whyPlanFailed
        : !isCurrent || plan === undefined
          ? w.whyPlanning
          : isUnchanged(plan)
            ? w.whyNothing
            : null;
  return (
    <Paper component="section" aria-labelledby="plan">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="plan">
          {w.plan}
        </Title>
        {!isFaulty && (
          <Text size="sm" c="dimmed">
            {w.planPicked(codes.length, info.skus.length)}
          </Text>
        )}
      </Group>
      {!isFaulty && codes.length > 0 && (
        <>
          {error !== null && <Failure error={error} channelId={channel.id} onRetry={retry} />}
          {error === null && plan === undefined && <Loader size="sm" aria-label={w.planning} />}
          {error === null && plan !== undefined && (
            <div className="register-plan" data-stale={!isCurrent}>
              <Lines plan={plan} />
            </div>
          )}
        </>
      )}
      {apply.error !== null && (
        <div className="register-apply-error">
          <Failure error={apply.error} channelId={channel.id} onRetry={() => apply.mutate(codes)} />
        </div>
      )}
      <Group mt="md" gap="sm">
        <Button
          disabled={why !== null}
          loading={apply.isPending}
          aria-describedby="why"
          onClick={() => apply.mutate(codes)}
        >
          {isFaulty ? c.apply : w.applyOf(codes.length)}
        </Button>
        <Text size="sm" c="dimmed" id="why" className="register-why" aria-live="polite">
          {why ?? w.applying}
        </Text>
      </Group>
    </Paper>
  );
}

const isUnchanged = ({ product, variants, mappings }: RegistrationPlan): boolean =>
  [product, ...variants, ...mappings].every(({ action }) => action === 'keep');

function Lines({ plan }: { plan: RegistrationPlan }) {
  const w = useWords(words);
  const c = useWords(common);
  const { product, variants, mappings } = plan;
  const moved = mappings.filter(({ action }) => action === 'replace').length;
  const counts = (all: { action: Action }[]) => {
    const of = (...actions: Action[]) => all.filter(({ action }) => actions.includes(action)).length;
    return w.counts(of('create'), of('update', 'rename', 'replace'), of('keep'));
  };
  return (
    <Stack gap="sm">
      {moved > 0 && (
        <Alert color="orange" p="xs" icon={<TriangleAlert size={18} aria-hidden />}>
          {w.movedWarning(moved)}
        </Alert>
      )}
      <dl className="register-summary">
        <dt>{c.product}</dt>
        <dd>
          <Mark action={product.action} /> <span className="mono">{product.code}</span>{' '}
          {product.before_name === null || product.action === 'keep'
            ? product.name
            : w.nameFromTo(product.before_name, product.name)}
        </dd>
        <dt>{c.items}</dt>
        <dd>{counts(variants)}</dd>
        <dt>{w.mappings}</dt>
        <dd>{counts(mappings)}</dd>
      </dl>
      <details className="register-details" open={moved > 0}>
        <summary>{w.details}</summary>
        <div className="register-lines">
          <ul aria-label={c.items}>
            {variants.map((variant) => (
              <li key={variant.code}>
                <Mark action={variant.action} /> <span className="mono">{variant.code}</span>
                {variant.action === 'update' && (
                  <> {w.nameFromTo(variant.before_power ?? w.noPower, variant.power ?? w.noPower)}</>
                )}
              </li>
            ))}
          </ul>
          <ul aria-label={w.mappings}>
            {mappings.map((mapping) => (
              <li key={mapping.sku}>
                <Mark action={mapping.action} /> <span className="mono">{mapping.sku}</span> →{' '}
                {mapping.action === 'replace' && (
                  <>
                    <s className="mono">{mapping.before}</s>{' '}
                  </>
                )}
                <span className="mono">{mapping.variant_code}</span>
              </li>
            ))}
          </ul>
        </div>
      </details>
    </Stack>
  );
}

const Mark = ({ action }: { action: Action }) => {
  const w = useWords(words);
  return (
    <Badge size="sm" color={COLORS[action]}>
      {w[action]}
    </Badge>
  );
};
