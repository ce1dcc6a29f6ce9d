import type { ReactNode } from 'react'
import { landingTexts } from '../../texts/landing.tsx'
import { CommandArt, LadderArt, PaymentArt, StreamArt } from './feature-art.tsx'
import { Section } from './section.tsx'

const texts = landingTexts.features

/** Four features, each with an illustration. */
export function Features() {
  return (
    <Section
      anchor="features"
      title={texts.alertYouCanHoldUs}
      className="phone:[animation:not-yet_1ms_400ms_backwards] [contain-intrinsic-block-size:1204px]"
    >
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <Feature title={texts.paymentsThatCannotBeLost} art={<PaymentArt />}>
          {texts.serverWatchesTheChain}
        </Feature>
        <Feature title={texts.streamWithoutGaps} art={<StreamArt />}>
          {texts.everyAlertHasItsPlace}
        </Feature>
        <Feature title={texts.proofYouCanCheck} art={<LadderArt />}>
          {texts.signatureAMerklePath}
        </Feature>
        <Feature title={texts.oneCommandToRun} art={<CommandArt />}>
          {texts.hostItYourselfItBrings}
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
