import { getChain } from '@tocsin/protocol'
import { TriangleAlert } from 'lucide-react'
import { type SubmitEvent, useId, useState } from 'react'
import { Address } from '../../ui/address.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { KeyValue, KeyValueList } from '../../ui/key-value.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Time } from '../../ui/time.tsx'
import { getRpcHost, parseRpcUrl } from './rpc-url.ts'
import { type PublishedLog, readTrust, type TrustDraft, type TrustProblems } from './trust.ts'
import type { TrustSettings } from './use-trust.ts'

type TrustSectionProps = {
  choice: TrustSettings
  config: PublishedLog
  /** Two columns on wide screens. */
  isWide?: boolean
}

/** Settings of checks in this browser: the chain node and the trust anchors. */
export function TrustSection({ choice, config, isWide = false }: TrustSectionProps) {
  return (
    <div className={classNames('grid gap-x-8 gap-y-5', isWide && 'md:grid-cols-2')}>
      <div className="flex min-w-0 flex-col gap-5">
        <NodeField choice={choice} chainName={getChain(choice.trust.domain.chainId).name} config={config} />
        {choice.published && <TrustMismatch choice={choice} />}
      </div>
      <TrustList choice={choice} />
    </div>
  )
}

type NodeFieldProps = TrustSectionProps & { chainName: string }

function NodeField({ choice, chainName, config }: NodeFieldProps) {
  const [text, setText] = useState(choice.rpcUrl)
  const parsedUrl = parseRpcUrl(text)
  const isThisSite = 'url' in parsedUrl && getRpcHost(parsedUrl.url) === location.host
  const hint = isThisSite
    ? 'This site serves this node. Enter another node to be independent of this site.'
    : config.anchor.rpcUrl === null && text === ''
      ? `This site does not provide a node. Enter the URL of a node of ${chainName}.`
      : `A node of ${chainName}. Stored in this browser.`
  return (
    <TextField
      label="Node for chain reads (JSON-RPC URL)"
      aside={
        config.anchor.rpcUrl !== null &&
        text !== config.anchor.rpcUrl && (
          <button
            type="button"
            className="link touch-target"
            onClick={() => {
              setText(config.anchor.rpcUrl ?? '')
              choice.setRpcUrl(config.anchor.rpcUrl ?? '')
            }}
          >
            Use this site’s
          </button>
        )
      }
      hint={hint}
      error={'problem' in parsedUrl && (text !== '' || choice.rpcUrl !== '') ? parsedUrl.problem : undefined}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        choice.setRpcUrl(target.value.trim())
      }}
      placeholder="https://"
      inputMode="url"
      mono
      spellCheck={false}
      autoComplete="off"
    />
  )
}

/**
 * Warns that the site now publishes other trust anchors than those stored. The user decides which
 * to trust.
 */
function TrustMismatch({ choice }: { choice: TrustSettings }) {
  return (
    <div role="alert" className="flex gap-3 border border-medium p-3">
      <TriangleAlert aria-hidden size={16} strokeWidth={2.25} className="mt-0.5 shrink-0 text-medium" />
      <div className="text-base">
        <p className="font-semibold">This site now publishes a different log from the one you trust</p>
        <p className="mt-1 text-2">{`${choice.isOwn ? 'You entered a different first signer or contract.' : 'At your first check, the site published other values.'} Checks still use those values. Accept the new values only if you know from another source why they changed.`}</p>
        <Button size="sm" className="mt-2" onClick={choice.acceptPublished}>
          Trust the site’s new values
        </Button>
      </div>
    </div>
  )
}

function TrustList({ choice }: { choice: TrustSettings }) {
  const [isOpen, setIsOpen] = useState(false)
  const titleId = useId()
  const { firstSigner, domain } = choice.trust
  return (
    <section aria-labelledby={titleId}>
      <p className="mb-1 flex items-baseline justify-between gap-3">
        <span id={titleId} className="text-base font-medium">
          What you trust
        </span>
        <button
          type="button"
          aria-expanded={isOpen}
          className="link touch-target text-base"
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? 'Cancel' : 'Change'}
        </button>
      </p>
      {isOpen ? (
        <TrustForm choice={choice} onDone={() => setIsOpen(false)} />
      ) : (
        <KeyValueList className="border-y border-line-1">
          <KeyValue label="First signer of the log">
            <Address value={firstSigner} copy />
          </KeyValue>
          <KeyValue label="Anchor contract">
            <Address value={domain.verifyingContract} copy />
          </KeyValue>
          <KeyValue label="Chain" plain>
            {getChain(domain.chainId).name} <span className="text-data text-2">{domain.chainId}</span>
          </KeyValue>
        </KeyValueList>
      )}
      <p className="mt-2 text-hint text-2">
        {choice.isOwn ? (
          'Entered by you. '
        ) : choice.since === null ? (
          'Published by this site. Your browser trusts these values from your first check on. '
        ) : (
          <>
            Trusted since <Time at={choice.since} show="date" mono={false} />.{' '}
          </>
        )}
        Every later key must be authorised by an earlier one, back to the first signer.
      </p>
    </section>
  )
}

function TrustForm({ choice, onDone }: { choice: TrustSettings; onDone: () => void }) {
  const { firstSigner, domain } = choice.trust
  const [draft, setDraft] = useState<TrustDraft>({
    firstSigner,
    contract: domain.verifyingContract,
    chainId: String(domain.chainId),
  })
  const [problems, setProblems] = useState<TrustProblems>({})

  function submit(event: SubmitEvent) {
    event.preventDefault()
    const trustResult = readTrust(draft)
    if ('problems' in trustResult) return setProblems(trustResult.problems)
    choice.enter(trustResult)
    onDone()
  }

  const renderField = (name: keyof TrustDraft, label: string) => (
    <TextField
      label={label}
      value={draft[name]}
      onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
      error={problems[name]}
      mono
      spellCheck={false}
      autoComplete="off"
    />
  )
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      {renderField('firstSigner', 'First signer of the log')}
      {renderField('contract', 'Anchor contract')}
      {renderField('chainId', 'Chain ID')}
      <Button type="submit" className="self-start">
        Trust these values
      </Button>
    </form>
  )
}
