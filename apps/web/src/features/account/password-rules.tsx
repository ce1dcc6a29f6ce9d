import { Check, Circle } from 'lucide-react'
import { classNames } from '../../ui/class-names.ts'
import { checkPasswordRules } from './credentials.ts'

/**
 * Shows the rules for a new password on one line. Ticks the rules for length and repetition when
 * the typed password meets them. The rule about common passwords has no tick.
 */
export function PasswordRules(props: { password: string; confirmPassword: string; minLength: number }) {
  const { minLength } = props
  const { isLongEnough, isRepeated } = checkPasswordRules(props, minLength)
  return (
    <span className="flex flex-wrap gap-x-4">
      <Rule isMet={isLongEnough}>{`At least ${minLength} characters`}</Rule>
      <Rule isMet={isRepeated}>Passwords match</Rule>
      <span>Not a common password</span>
    </span>
  )
}

function Rule({ isMet, children }: { isMet: boolean; children: string }) {
  const Icon = isMet ? Check : Circle
  return (
    <span className={classNames('inline-flex items-center gap-1', isMet && 'text-1')}>
      <Icon aria-hidden size={12} strokeWidth={isMet ? 3 : 2} className={classNames(isMet && 'text-ok')} />
      {children}
      <span className="sr-only">{isMet ? ' (met)' : ' (not met yet)'}</span>
    </span>
  )
}
