import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { SiteLink } from '../../ui/site-link.tsx'
import { Section } from '../site/section.tsx'

export function Questions() {
  return (
    <Section
      anchor="questions"
      title="Questions"
      className="phone:[animation:not-yet_1ms_700ms_backwards] [contain-intrinsic-block-size:610px]"
    >
      <div className="border-b border-line-1">
        <Question asks="What does the proof show, and what does it not show?">
          It shows that this service stated exactly these words, and that they existed when the anchoring block was
          made. It does not show that the alert was right: that is what the track record counts. Until the anchor, the
          time of the alert is only a statement of the operator.
        </Question>
        <Question asks="How often are alerts right?">
          That is measured and not claimed. Alerts of the engine state beforehand what they expect of the exchange’s own
          candles, and by when. The <SiteLink href={paths.trackRecord}>track record</SiteLink> counts every one, misses
          included, beside the rate at random minutes, and you can recompute each figure.
        </Question>
        <Question asks="Can the operator change or delete an alert?">
          Not without a visible trace. The log only grows, and its roots are in transactions on a public chain.
          Corrections and retractions are new entries that point at the old one, and both stay.
        </Question>
        <Question asks="Why is the alert on this page not from today?">
          Fresh alerts are for subscribers. Each becomes public after a delay that the operator sets, 24 hours unless
          changed. Its signature, Merkle path and anchor are the same as on the first day.
        </Question>
        <Question asks="What if I close the page after I have paid?">
          Nothing is lost. The server watches the treasury on the chain itself, finds your transfer and starts the plan.
          Payments that match no plan are kept and shown to the operator.
        </Question>
        <Question asks="Do plans renew automatically?">
          No. A plan is a single payment of exactly its price, and it ends automatically. You are never asked to approve
          more.
        </Question>
        <Question asks="Do I have to trust this site to check an alert?">
          No. When you are signed in, <SiteLink href={paths.verification}>Verification</SiteLink> recomputes an alert’s
          proof in your browser and asks a node of your choice.{' '}
          <SiteLink href={paths.transparency}>Transparency</SiteLink> verifies the log without an account, and a{' '}
          <SiteLink href={`${paths.documentation}#proof`}>command-line tool</SiteLink> verifies it without a browser.
        </Question>
        <Question asks="Can I run it myself?">
          Yes. It is open source under the MIT licence, and one command starts all of it on one machine, with a
          database, a local chain and a feed of its own.
        </Question>
        <Question asks="Is this advice?">
          No. An alert says that something unusual was measured. It is not a recommendation, and it can be wrong.
        </Question>
      </div>
    </Section>
  )
}

function Question({ asks, children }: { asks: string; children: ReactNode }) {
  return (
    <details className="group border-t border-line-1">
      <summary className="focus-inset flex min-h-14 cursor-pointer list-none items-center gap-4 py-3 text-lead font-medium [&::-webkit-details-marker]:hidden">
        <span className="flex-1">{asks}</span>
        <Plus
          aria-hidden
          size={16}
          strokeWidth={2.25}
          className="shrink-0 text-2 transition-[rotate] group-open:rotate-45"
        />
      </summary>
      <p className="prose max-w-170 pb-6">{children}</p>
    </details>
  )
}
