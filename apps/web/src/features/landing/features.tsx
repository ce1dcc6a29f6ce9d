import type { ReactNode } from 'react'
import { Section } from '../site/section.tsx'
import { CommandArt, LadderArt, PaymentArt, StreamArt } from './feature-art.tsx'

/** Four features, each with an illustration. */
export function Features() {
  return (
    <Section
      anchor="features"
      title="An alert you can hold us to"
      className="phone:[animation:not-yet_1ms_400ms_backwards] [contain-intrinsic-block-size:1204px]"
    >
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <Feature title="Payments that cannot be lost" art={<PaymentArt />}>
          The server watches the chain itself. Close the page right after you pay, and your plan still starts.
        </Feature>
        <Feature title="A stream without gaps" art={<StreamArt />}>
          Every alert has its place in the stream. After a lost connection you get what you missed, in order and once.
        </Feature>
        <Feature title="Proof you can check" art={<LadderArt />}>
          A signature, a Merkle path and an anchor on chain. Six checks say whether all three hold.
        </Feature>
        <Feature title="One command to run" art={<CommandArt />}>
          Host it yourself. It brings its own database, chain and feed, and you replace them when you are ready.
        </Feature>
      </ul>
    </Section>
  )
}

function Feature({ title, art, children }: { title: string; art: ReactNode; children: ReactNode }) {
  return (
    <li className="corner-ticks flex flex-col border border-line-1 bg-ink-1 p-6 phone:p-5">
      <div aria-hidden className="grid h-32 place-items-center">
        {art}
      </div>
      <h3 className="mt-5 text-lead font-semibold">{title}</h3>
      <p className="mt-1 text-body text-2">{children}</p>
    </li>
  )
}
