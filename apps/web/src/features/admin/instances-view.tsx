import { useQuery } from '@tanstack/react-query'
import type { AdminInstance, AdminInstances, BackgroundJob } from '@tocsin/protocol'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { formatCount, formatCountOf } from '../../ui/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useNow } from '../../ui/now.ts'
import { Panel } from '../../ui/panel.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'
import { formatDuration } from '../alert/alert-texts.ts'
import { adminQueries } from './admin-queries.ts'
import { AdminQueryError } from './admin-query-error.tsx'
import { StateLine, ValueLine } from './day-lines.tsx'
import { FigureCell, FigureGrid, PanelWarning } from './figure-cell.tsx'
import { formatUptimeClock } from './system-health.ts'

/** Shows the state of each server instance, and its last 24 hours. */
export function InstancesView() {
  const query = useQuery(adminQueries.instances)
  const { data, error } = query
  if (data) return <InstancesPanels view={data} isOutdated={error !== null} />
  return (
    <Panel title="Instances" flush={!error}>
      {error ? (
        <AdminQueryError fallback="Failed to fetch the instances" query={query} />
      ) : (
        <SkeletonRows label="Loading the instances" rows={4} />
      )}
    </Panel>
  )
}

/**
 * @param isOutdated true if the newest request has failed, so that `view` is from an earlier one
 */
export function InstancesPanels({ view, isOutdated = false }: { view: AdminInstances; isOutdated?: boolean }) {
  const { instances, lags, stepSeconds } = view
  return (
    <>
      <Panel
        title="Instances"
        detail="Last 24 hours"
        flush
        footer="Each instance reports once a minute under its host name and port. Each bar covers ten minutes and has the colour of the worst state in that time. A gap is a time without reports."
      >
        {isOutdated && (
          <PanelWarning>Failed to fetch the instances. This page shows the last known state.</PanelWarning>
        )}
        {instances.length === 0 ? (
          <EmptyState title="No report yet">The first report follows a few seconds after the start.</EmptyState>
        ) : (
          <ul className="divide-y divide-line-1">
            {instances.map((instance) => (
              <InstanceRow key={instance.name} instance={instance} stepSeconds={stepSeconds} />
            ))}
          </ul>
        )}
      </Panel>
      <LeadersPanel instances={instances} />
      <Panel title="Lags" detail="Last 24 hours, worst value of each ten minutes" flush>
        <div className="[&_dl]:grid-cols-5 max-lg:[&_dl]:grid-cols-3 phone:[&_dl]:grid-cols-1">
          <FigureGrid>
            {lags.map((lag) => (
              <LagCell key={lag.name} lag={lag} />
            ))}
          </FigureGrid>
        </div>
      </Panel>
    </>
  )
}

const stateTones: Record<AdminInstance['state'], { tone: BadgeTone; words: string }> = {
  ready: { tone: 'ok', words: 'Ready' },
  degraded: { tone: 'medium', words: 'Degraded' },
  unavailable: { tone: 'critical', words: 'Unavailable' },
  stopped: { tone: 'neutral', words: 'Stopped' },
}

function InstanceRow({ instance, stepSeconds }: { instance: AdminInstance; stepSeconds: number }) {
  const { name, version, state, isSilent, failing, seenAt, day } = instance
  const { tone, words } = isSilent ? { tone: 'critical' as const, words: 'Silent' } : stateTones[state]
  return (
    <li className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] items-center gap-x-8 gap-y-3 px-5 py-4 max-lg:grid-cols-1 phone:px-4">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h3 className="min-w-0 font-mono text-base font-semibold wrap-anywhere">{name}</h3>
          <Badge tone={tone}>{words}</Badge>
          <span className="text-hint text-2">Tocsin {version}</span>
        </div>
        {isSilent || state === 'stopped' ? (
          <p className="mt-1 text-base text-2">
            Last report <Time at={seenAt} mono={false} /> <ZoneName />
          </p>
        ) : (
          <Running instance={instance} />
        )}
        {failing.map(({ check, reason }) => (
          <p key={check} className="mt-1 text-base wrap-anywhere text-medium">
            {check}: {reason}
          </p>
        ))}
      </div>
      <div className="min-w-0">
        <StateLine name={name} states={day.states} stepSeconds={stepSeconds} />
        <DayScale />
        <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-2 phone:grid-cols-1">
          <DayOfValue name={name} label="Live sockets" values={day.connected} format={formatCount} />
          <DayOfValue name={name} label="Event loop delay" values={day.loopDelayMs} format={formatMsRoundedUp} />
        </dl>
      </div>
    </li>
  )
}

function Running({ instance: { startedAt, connected, loopDelayMs } }: { instance: AdminInstance }) {
  const uptime = useNow((nowMs) => formatUptimeClock(startedAt, nowMs))
  const clients = formatCountOf(connected, 'live socket')
  return (
    <p className="mt-1 text-base text-2">
      Up <span className="text-data text-1">{uptime}</span>, {clients}, event loop delay{' '}
      <span className="text-data text-1">{formatDelay(loopDelayMs)}</span>
    </p>
  )
}

const formatDelay = (ms: number) => `${ms < 1 ? '< 1' : formatCount(Math.round(ms))} ms`

const formatMsRoundedUp = (ms: number) => `${formatCount(Math.ceil(ms))} ms`

interface DayOfValueProps {
  /** Name of the instance. */
  name: string
  label: string
  /** The highest value in each step; null for a step without a report. */
  values: readonly (number | null)[]
  format: (value: number) => string
}

function DayOfValue({ name, label, values, format }: DayOfValueProps) {
  const highest = getHighest(values)
  const highestText = highest === null ? 'not measured' : `at most ${format(highest)}`
  return (
    <div className="min-w-0">
      <dt className="text-hint text-2">
        {label}, {highestText}
      </dt>
      <dd>
        <ValueLine label={`${name}, ${label.toLowerCase()}, last 24 hours: ${highestText}`} values={values} />
      </dd>
    </div>
  )
}

function getHighest(values: readonly (number | null)[]): number | null {
  return values.reduce((highest, value) => (value === null ? highest : Math.max(highest ?? 0, value)), null)
}

/** Axis labels below a chart of 24 hours. */
function DayScale() {
  return (
    <div aria-hidden className="mt-1 flex justify-between text-hint text-2">
      <span>24 h ago</span>
      <span>12 h</span>
      <span>now</span>
    </div>
  )
}

const jobNames: Record<BackgroundJob, { label: string; meaning: string }> = {
  feed: { label: 'Signal feed', meaning: 'Receives signals and issues alerts' },
  anchoring: { label: 'Anchoring', meaning: 'Anchors the log and writes heartbeats' },
  payments: { label: 'Payments', meaning: 'Reads transfers and credits them' },
  channels: { label: 'Destinations', meaning: 'Sends alerts to the channels of accounts' },
  subscriberMails: { label: 'Subscriber mails', meaning: 'Sends receipts and reminders' },
  schedule: { label: 'Scheduled alerts', meaning: 'Issues alerts at the scheduled time' },
  messages: { label: 'Messages', meaning: 'Sends messages to segments of users' },
  protectedChanges: { label: 'Approved changes', meaning: 'Applies approved changes and factor resets' },
  securityLog: { label: 'Security log', meaning: 'Writes security events to the log and syslog' },
  wallets: { label: 'Contract wallets', meaning: 'Rechecks the signatures of contract wallets' },
}

/** Shows which instance runs each background job. */
function LeadersPanel({ instances }: { instances: AdminInstances['instances'] }) {
  const runningInstances = instances.filter(({ state, isSilent }) => state !== 'stopped' && !isSilent)
  const listLeaders = (job: string) => runningInstances.filter(({ jobs }) => jobs.includes(job)).map(({ name }) => name)
  return (
    <Panel title="Background jobs" detail="Each runs on one instance at a time" flush>
      <div className="[&_dl]:grid-cols-3 max-xl:[&_dl]:grid-cols-2 phone:[&_dl]:grid-cols-1">
        <FigureGrid>
          {Object.entries(jobNames).map(([job, { label, meaning }]) => {
            const leaders = listLeaders(job)
            return (
              <FigureCell
                key={job}
                label={label}
                detail={leaders.length > 1 ? 'The leader has changed since the last report' : meaning}
              >
                {leaders.length > 0 ? leaders.join(', ') : <span className="text-medium">No instance</span>}
              </FigureCell>
            )
          })}
        </FigureGrid>
      </div>
    </Panel>
  )
}

const lagNames: Record<AdminInstances['lags'][number]['name'], { label: string; meaning: string }> = {
  anchoring: { label: 'Anchoring', meaning: 'Age of the oldest entry without an anchor' },
  payments: { label: 'Payments', meaning: 'Time since the last chain scan' },
  queues: { label: 'Mails and destinations', meaning: 'Age of the oldest message that is due' },
  feed: { label: 'Signals', meaning: 'Time since the newest signal of the feed' },
  engine: { label: 'Engine', meaning: 'Time since its newest status' },
}

function LagCell({ lag: { name, seconds, day } }: { lag: AdminInstances['lags'][number] }) {
  const { label, meaning } = lagNames[name]
  const highest = getHighest(day)
  const highestText = highest === null ? 'not measured' : `at most ${formatDuration(highest * 1_000)}`
  return (
    <FigureCell
      label={label}
      detail={
        <span className="w-full">
          <ValueLine label={`${label}, last 24 hours: ${highestText}`} values={day} />
          <span className="mt-1 block">
            {meaning}, {highestText} in 24 h
          </span>
        </span>
      }
    >
      {seconds === null ? 'Not measured' : formatDuration(seconds * 1_000)}
    </FigureCell>
  )
}
