import type { ReactNode } from 'react'
import { Seal } from '../../ui/identity/seal.tsx'
import { Section } from '../site/section.tsx'

/** Arbitrary example hash. It determines the drawing of the seal in the third step. */
const sampleHash = '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'

export function HowItWorks() {
  return (
    <Section
      anchor="how-it-works"
      title="How it works"
      className="phone:[animation:not-yet_1ms_500ms_backwards] [contain-intrinsic-block-size:768px]"
    >
      <ol className="grid gap-x-8 gap-y-12 max-lg:gap-x-6 md:grid-cols-3">
        <Step number={1} title="Connect a wallet" art={<WalletArt />}>
          Your browser wallet shows its address and balance. One free signature verifies that you own the wallet.
        </Step>
        <Step number={2} title="Pay for the hours you need" art={<TransferArt />}>
          One transfer of ITO to the treasury. Access opens when the chain has confirmed the transfer, even if you close
          the page.
        </Step>
        <Step number={3} title="Act, and keep the proof" art={<ProofArt />}>
          Alerts arrive live and signed. Once the log’s root is on chain, the alert is marked as anchored, and you can
          keep its proof.
        </Step>
      </ol>
    </Section>
  )
}

interface StepProps {
  number: number
  title: string
  art: ReactNode
  children: ReactNode
}

function Step({ number, title, art, children }: StepProps) {
  return (
    <li className="flex flex-col">
      <div aria-hidden className="flex items-center gap-4">
        <span className="grid size-10 shrink-0 place-items-center border border-line-2 font-mono text-lead">
          {number}
        </span>
        <span className="h-px flex-1 bg-line-1" />
      </div>
      <h3 className="mt-6 text-lead font-semibold">{title}</h3>
      <p className="mt-1 text-body text-2">{children}</p>
      <div aria-hidden className="mt-auto flex min-h-16 items-center pt-5">
        {art}
      </div>
    </li>
  )
}

function WalletArt() {
  return (
    <span className="inline-flex h-10 items-center gap-3 border border-line-2 px-3 text-data">
      <span className="size-2 rounded-full bg-ok" />
      0x71C7…976F
    </span>
  )
}

function TransferArt() {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-4 gap-y-2 text-data text-2 max-lg:gap-x-2">
      <span className="inline-flex h-10 items-center border border-line-2 px-4 font-sans text-body font-semibold whitespace-nowrap text-1 max-lg:px-3">
        Pay 30 ITO
      </span>
      <span className="flex gap-1">
        <span className="h-2 w-6 bg-text-1 md:max-lg:w-4" />
        <span className="h-2 w-6 border border-line-2 md:max-lg:w-4" />
      </span>
      block 1/2
    </span>
  )
}

function ProofArt() {
  return (
    <span className="inline-flex items-center gap-3">
      <Seal leafHash={sampleHash} root={sampleHash} state="anchored" size={40} decorative />
      <span>
        <span className="block text-body font-medium">Anchored</span>
        <span className="block text-data text-2">6 of 6 checks</span>
      </span>
    </span>
  )
}
