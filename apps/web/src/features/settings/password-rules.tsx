import { Check, Circle } from 'lucide-react'
import { settingsTexts } from '../../texts/settings.tsx'
import { classNames } from '../../ui/class-names.ts'
import { judgeNewPassword } from '../account/credentials.ts'

const texts = settingsTexts.passwordRules

/** What a new password needs, ticked while it is typed. One line, as the hint of its field. */
export function PasswordRules(props: { password: string; confirmPassword: string; minLength: number }) {
  const { minLength } = props
  const { isLongEnough, isRepeated } = judgeNewPassword(props, minLength)
  return (
    <span className="flex flex-wrap gap-x-4">
      <Rule isMet={isLongEnough}>{texts.atLeastCharacters({ minLength })}</Rule>
      <Rule isMet={isRepeated}>{texts.typedTwiceTheSame}</Rule>
      <span>{texts.notOneThatManyPeople}</span>
    </span>
  )
}

function Rule({ isMet, children }: { isMet: boolean; children: string }) {
  const Icon = isMet ? Check : Circle
  return (
    <span className={classNames('inline-flex items-center gap-1', isMet && 'text-1')}>
      <Icon aria-hidden size={12} strokeWidth={isMet ? 3 : 2} className={classNames(isMet && 'text-ok')} />
      {children}
      <span className="sr-only">{isMet ? texts.met : texts.notMetYet}</span>
    </span>
  )
}
