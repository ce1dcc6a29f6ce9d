import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { closeOnEscape } from '../ui/escape.ts'
import { useFocusReturn } from '../ui/focus-return.ts'
import { shortenHex } from '../ui/short-hex.ts'
import { type DemoRequest, demoRequests, type OpenRequest } from './demo-requests.ts'
import { demoWalletInfo } from './demo-wallet.ts'

/** Mounts the Demo Wallet's window outside the app, like the popup of an extension. */
export function mountDemoWalletWindow(): void {
  const element = document.createElement('div')
  document.body.append(element)
  createRoot(element).render(<DemoWalletWindow />)
}

/** Placed at the top right, like extension popups. */
function DemoWalletWindow() {
  const openRequest = useSyncExternalStore(demoRequests.subscribe, demoRequests.snapshot)
  if (!openRequest) return null
  return <WalletWindow key={openRequest.request.kind} open={openRequest} />
}

const titles = { connect: 'Connect to this site', sign: 'Sign this message', send: 'Send this transaction' }
const actionLabels = { connect: 'Connect', sign: 'Sign', send: 'Confirm' }

function WalletWindow({ open: { request, accept, reject } }: { open: OpenRequest }) {
  const focusReturn = useFocusReturn()
  const [chosenIndex, setChosenIndex] = useState(request.kind === 'connect' ? request.chosen : 0)
  return (
    <Radix.Root
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) reject()
      }}
    >
      <Radix.Portal>
        <div className="fixed inset-0 z-50 animate-fade bg-ink-0/40" />
        <Radix.Content
          {...focusReturn}
          onKeyDown={closeOnEscape(reject)}
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed top-4 right-4 z-50 flex max-h-[calc(100dvh-32px)] w-90 animate-rise flex-col rounded-float border-2 border-text-2 bg-ink-2 shadow-float outline-none phone:inset-x-4 phone:w-auto"
        >
          <div className="flex items-center gap-3 border-b border-line-2 px-4 py-3">
            <img src={demoWalletInfo.icon} alt="" width={28} height={28} />
            <div className="min-w-0 flex-1">
              <p className="text-body font-semibold">Demo Wallet</p>
              <Radix.Description className="truncate text-hint text-2">{location.host}</Radix.Description>
            </div>
            <span className="rounded-control border border-medium px-1.5 text-hint">Play money</span>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4">
            <Radix.Title className="text-lead font-semibold">{titles[request.kind]}</Radix.Title>
            <RequestBody request={request} chosen={chosenIndex} onChoose={setChosenIndex} />
          </div>
          <div className="grid grid-cols-2 gap-2 border-t border-line-2 px-4 py-3">
            <Button size="lg" onClick={reject}>
              Reject
            </Button>
            <Button size="lg" variant="primary" onClick={() => accept(chosenIndex)}>
              {actionLabels[request.kind]}
            </Button>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

type BodyProps = { request: DemoRequest; chosen: number; onChoose: (index: number) => void }

function RequestBody({ request, chosen, onChoose }: BodyProps) {
  switch (request.kind) {
    case 'connect':
      return <AccountChoice accounts={request.accounts} chosen={chosen} onChoose={onChoose} />
    case 'sign':
      return (
        <>
          <p className="mt-1 text-base text-2">Signing is free and does not send a transaction.</p>
          <Row label="Account">{shortenHex(request.account)}</Row>
          <pre className="mt-3 max-h-72 overflow-auto rounded-control border border-line-2 bg-ink-0 p-3 text-data wrap-anywhere whitespace-pre-wrap">
            {request.text}
          </pre>
        </>
      )
    case 'send':
      return (
        <>
          <p className="mt-3 text-number">{request.amount}</p>
          <Row label="From">{shortenHex(request.account)}</Row>
          <Row label="To">{request.to}</Row>
          {request.contract !== null && <Row label="Token contract">{request.contract}</Row>}
          {request.data !== null && <Row label="Data">{request.data}</Row>}
        </>
      )
  }
}

type AccountChoiceProps = { accounts: readonly string[]; chosen: number; onChoose: (index: number) => void }

function AccountChoice({ accounts, chosen, onChoose }: AccountChoiceProps) {
  return (
    <fieldset className="mt-1">
      <legend className="text-base text-2">Choose the account that this site may see.</legend>
      <div className="mt-3 grid gap-2">
        {accounts.map((address, index) => (
          <label
            key={address}
            className={classNames(
              'flex min-h-11 cursor-pointer items-center gap-3 rounded-control border px-3 hover:bg-ink-3 has-focus-visible:outline-2 has-focus-visible:outline-focus',
              index === chosen ? 'border-signal bg-ink-3' : 'border-line-2',
            )}
          >
            <input
              type="radio"
              name="demo-account"
              checked={index === chosen}
              onChange={() => onChoose(index)}
              className="accent-(--color-signal)"
            />
            <span className="text-base font-medium">Account {index + 1}</span>
            <span title={address} className="ml-auto text-data text-2">
              {shortenHex(address)}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <p className="mt-3">
      <span className="block text-hint text-2">{label}</span>
      <span className="block text-data wrap-anywhere">{children}</span>
    </p>
  )
}
