import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { LogHead } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { queries } from '../../queries.ts'
import { Address } from '../../ui/address.tsx'
import { Button } from '../../ui/button.tsx'
import { Seal } from '../../ui/identity/seal.tsx'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'

/** The newest anchor of the log: what anybody can look up on the chain. */
export function LogCertificate() {
  const { data: head, isError, isPending } = useQuery(queries.logHead)
  const config = useQuery(queries.config)
  const anchored = head?.anchored
  return (
    <Panel
      title="Newest anchor"
      right={<span className="text-base text-2">{anchored && `Covers ${counted(anchored.size)}`}</span>}
      className="shadow-(--shadow-float)"
      flush
    >
      <div className="flex min-h-36 items-center gap-6 border-b border-line-1 p-5 phone:p-4">
        {head && <Verdict head={head} />}
        {isError && <p className="text-base">The log can’t be reached right now.</p>}
      </div>
      <div className="p-5 phone:p-4">
        <KeyValueList>
          <Fact label="Root" pending={isPending}>
            {anchored && <Address value={anchored.root} copy />}
          </Fact>
          <Fact label="Transaction" pending={isPending}>
            {anchored && <Address value={anchored.transactionHash} copy />}
          </Fact>
          <Fact label="Block" pending={isPending}>
            {anchored?.blockNumber.toLocaleString('en-US')}
          </Fact>
          <Fact label="Block time UTC" pending={isPending}>
            {anchored && <Time at={anchored.at} show="date" />}
          </Fact>
          <Fact label="Chain" pending={config.isPending}>
            {config.data?.anchor.chainName}
          </Fact>
        </KeyValueList>
        <Button asChild size="lg" className="mt-5 w-full">
          <Link to={paths.verification}>Verify an alert</Link>
        </Button>
      </div>
    </Panel>
  )
}

interface FactProps {
  label: string
  pending: boolean
  children: ReactNode
}

function Fact({ label, pending, children }: FactProps) {
  return <KeyValue label={label}>{pending ? <Skeleton className="h-3 w-24" /> : (children ?? 'none')}</KeyValue>
}

function Verdict({ head }: { head: LogHead }) {
  const { anchored } = head
  const root = anchored?.root ?? head.root
  return (
    <>
      <Seal leafHash={root} root={root} state={anchored ? 'anchored' : 'unsigned'} size={96} />
      <div>
        <p className="text-h1">{anchored ? 'Anchored' : 'Not yet anchored'}</p>
        <p className="mt-1 text-body">
          {anchored ? <Time at={anchored.at} show="relative" /> : `${counted(head.size)} in the log`}
        </p>
        <p className="text-base text-2">The seal is drawn from this root.</p>
      </div>
    </>
  )
}

function counted(alerts: number): string {
  return `${alerts.toLocaleString('en-US')} ${alerts === 1 ? 'alert' : 'alerts'}`
}
