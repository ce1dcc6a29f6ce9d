import { useQuery } from '@tanstack/react-query'
import type { PublicConfig, SystemStatus } from '@tocsin/protocol'
import { queries } from '../../queries.ts'
import { useStreamStatus } from '../../stream-status.ts'
import { numberLocale } from '../../texts/language.ts'
import { settingsTexts } from '../../texts/settings.tsx'
import { Address } from '../../ui/address.tsx'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time, ZoneName } from '../../ui/time.tsx'

const texts = settingsTexts.systemSection

/** What the server says of itself: how it is set up, and how it is now. */
export function SystemSection() {
  const config = useQuery(queries.config)
  const status = useQuery(queries.status)
  return (
    <Panel title={texts.systemInformation} right={config.data?.demo ? <Badge plain>{texts.demo}</Badge> : undefined}>
      {config.data && <Setup config={config.data} />}
      {status.data && <State status={status.data} />}
      {config.isPending && <PendingRows />}
      {status.isPending && <PendingRows className="mt-8" />}
      {(config.isError || (status.isError && !status.data)) && (
        <div role="alert" className="flex flex-wrap items-center gap-3 pt-3 text-base">
          {texts.serverDidNotAnswer}
          <Button
            onClick={() => {
              void config.refetch()
              void status.refetch()
            }}
          >
            {texts.tryAgain}
          </Button>
        </div>
      )}
    </Panel>
  )
}

/** As high as the seven rows that will stand here. */
function PendingRows({ className }: { className?: string }) {
  return (
    <div role="status" aria-label={texts.loadingSystemInformation} className={classNames('h-57.5', className)}>
      <Skeleton className="h-full" />
    </div>
  )
}

function Setup({ config }: { config: PublicConfig }) {
  const { chain, anchor } = config
  return (
    <KeyValueList>
      <KeyValue label={texts.version}>{config.version}</KeyValue>
      <KeyValue label={texts.paymentChain}>
        {chain.name} ({chain.id})
      </KeyValue>
      <KeyValue label={texts.tokenSymbol({ symbol: config.token.symbol })}>
        <Address value={config.token.address} copy />
      </KeyValue>
      <KeyValue label={texts.treasury}>
        <Address value={config.treasury} copy />
      </KeyValue>
      <KeyValue label={texts.alertSigner}>
        <Address value={config.signer} copy />
      </KeyValue>
      <KeyValue label={texts.anchorChain}>
        {anchor.chainName} ({anchor.chainId})
      </KeyValue>
      <KeyValue label={texts.anchorContract}>
        <Address value={anchor.contract} copy />
      </KeyValue>
    </KeyValueList>
  )
}

const feedLooks: Record<SystemStatus['feed']['state'], { tone: BadgeTone; word: string }> = {
  off: { tone: 'neutral', word: texts.off },
  connecting: { tone: 'medium', word: texts.connecting },
  connected: { tone: 'ok', word: texts.connected },
  stale: { tone: 'medium', word: texts.notAnswering },
  reconnecting: { tone: 'medium', word: texts.reconnecting },
  failed: { tone: 'critical', word: texts.failed },
}

const anchorLooks: Record<SystemStatus['anchor']['state'], { tone: BadgeTone; word: string }> = {
  current: { tone: 'ok', word: texts.current },
  delayed: { tone: 'medium', word: texts.delayed },
  stopped: { tone: 'critical', word: texts.stopped },
}

const streamWords = {
  live: texts.live,
  delayed: texts.delayed,
  reconnecting: texts.reconnecting,
  offline: texts.offline,
}

function State({ status: { feed, stream, anchor, startedAt } }: { status: SystemStatus }) {
  const { tone, word } = feedLooks[feed.state]
  const { state, isWanted, lastMessageAt } = useStreamStatus()
  return (
    <KeyValueList className="mt-4 border-t border-line-2 pt-4">
      <KeyValue label={texts.runningSince}>
        <Time at={startedAt} show="date" /> <ZoneName />
      </KeyValue>
      <KeyValue label={texts.signalFeed} plain>
        <Badge tone={tone}>{word}</Badge>
      </KeyValue>
      {feed.signalsReceived !== null && (
        <>
          <KeyValue label={texts.signalsReceived}>{feed.signalsReceived.toLocaleString(numberLocale)}</KeyValue>
          <KeyValue label={texts.lastSignal} plain>
            {feed.lastSignalAt ? <Time at={feed.lastSignalAt} show="relative" /> : texts.noneYet}
          </KeyValue>
        </>
      )}
      <KeyValue label={texts.thisPagesStream} plain>
        {isWanted ? streamWords[state] : texts.notOpen}
        {isWanted && lastMessageAt !== null && texts.lastMessage({ lastMessageAt: <Time at={lastMessageAt} /> })}
      </KeyValue>
      <KeyValue label={texts.liveConnections}>{stream.connected.toLocaleString(numberLocale)}</KeyValue>
      <KeyValue label={texts.anchoring} plain>
        <Badge tone={anchorLooks[anchor.state].tone}>{anchorLooks[anchor.state].word}</Badge>
      </KeyValue>
      <KeyValue label={texts.lastAnchor} plain>
        {anchor.lastAnchoredAt ? <Time at={anchor.lastAnchoredAt} show="relative" /> : texts.noneYet}
      </KeyValue>
    </KeyValueList>
  )
}
