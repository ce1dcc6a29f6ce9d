import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { landingTexts } from '../../texts/landing.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { Section } from './section.tsx'

const texts = landingTexts.questions

export function Questions() {
  return (
    <Section
      anchor="questions"
      title={texts.questions}
      className="phone:[animation:not-yet_1ms_700ms_backwards] [contain-intrinsic-block-size:553px]"
    >
      <div className="border-b border-line-1">
        <Question asks={texts.whatDoesTheProofShow}>{texts.thatThisServiceStated}</Question>
        <Question asks={texts.canTheOperatorChange}>{texts.notWithoutItShowing}</Question>
        <Question asks={texts.whyIsTheAlert}>{texts.freshAlerts}</Question>
        <Question asks={texts.whatIfIClose}>{texts.nothingIsLostTheServer}</Question>
        <Question asks={texts.doesAnythingRenewByItself}>{texts.noAPlanIsOne}</Question>
        <Question asks={texts.mustITrustThisSite}>
          {texts.noSignedIn({
            verification: (words) => <SiteLink href={paths.verification}>{words}</SiteLink>,
            transparency: (words) => <SiteLink href={paths.transparency}>{words}</SiteLink>,
            commandLine: (words) => <SiteLink href={`${paths.documentation}#proof`}>{words}</SiteLink>,
          })}
        </Question>
        <Question asks={texts.canIRunItMyself}>{texts.yesItIsOpenSource}</Question>
        <Question asks={texts.isThisAdvice}>{texts.noAnAlertSays}</Question>
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
