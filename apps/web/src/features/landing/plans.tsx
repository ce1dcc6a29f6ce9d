import { type Plan, plans } from '@tocsin/protocol'
import { Check } from 'lucide-react'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { CountdownCells } from '../../ui/countdown-cells.tsx'
import { SiteLink } from '../../ui/site-link.tsx'
import { Section } from '../site/section.tsx'

export function Plans() {
  return (
    <Section
      anchor="plans"
      title="Plans"
      lead="One cell is one hour."
      className="phone:[animation:not-yet_1ms_600ms_backwards] [contain-intrinsic-block-size:1491px]"
    >
      <ul className="grid gap-4 md:grid-cols-3">
        {plans.map((plan) => (
          <PlanCard key={plan.id} plan={plan} recommended={plan.id === '24h'} />
        ))}
      </ul>
    </Section>
  )
}

function PlanCard({ plan, recommended }: { plan: Plan; recommended: boolean }) {
  return (
    <li className="corner-ticks flex flex-col border border-line-1 bg-ink-1 p-6 max-lg:p-5">
      <h3 className="flex flex-wrap items-baseline justify-between gap-x-3 text-lead font-semibold">
        {plan.name}
        <span className="text-data font-normal text-2">{(plan.price / plan.hours).toFixed(2)} ITO/h</span>
      </h3>
      <p className="mt-1 flex items-baseline gap-3">
        <span className="text-number-lg">{plan.price}</span>
        <span className="text-h2 font-normal text-2">ITO</span>
      </p>
      {/* In narrow columns, the description is at least two lines high, so that the parts below it
          are aligned in all cards. */}
      <p className="text-body text-2 md:max-lg:min-h-10">{plan.description}</p>
      <div aria-hidden className="flex h-18 items-end phone:mt-5 phone:h-auto">
        <CountdownCells hours={plan.hours} layout="plan" />
      </div>
      <ul className="mt-5 mb-6 flex flex-col gap-3 border-t border-line-1 pt-5 text-body">
        {plan.features.map((feature) => (
          <li key={feature} className="flex gap-3">
            <Check aria-hidden size={16} strokeWidth={2.25} className="mt-0.5 shrink-0 text-2" />
            {feature}
          </li>
        ))}
      </ul>
      <Button asChild size="lg" variant={recommended ? 'primary' : 'secondary'} className="mt-auto">
        <SiteLink href={`${paths.dashboard}?plan=${plan.id}`} aria-label={`Select Plan: ${plan.name}`}>
          Select Plan
        </SiteLink>
      </Button>
    </li>
  )
}
