import type { Activity } from '@tocsin/protocol'
import {
  Ban,
  CalendarPlus,
  Coins,
  LogIn,
  LogOut,
  type LucideIcon,
  MailCheck,
  RotateCcw,
  ShieldCheck,
  Undo2,
  UserPlus,
  Wallet,
} from 'lucide-react'

/** Icon and words of each kind of activity. */
export const activityLooks: Record<Activity['kind'], { icon: LucideIcon; words: string }> = {
  account_created: { icon: UserPlus, words: 'Account created' },
  email_verified: { icon: MailCheck, words: 'Email verified' },
  signed_in: { icon: LogIn, words: 'Signed in' },
  signed_out: { icon: LogOut, words: 'Signed out' },
  wallet_proved: { icon: Wallet, words: 'Wallet proved' },
  plan_paid: { icon: Coins, words: 'Plan paid' },
  payment_reverted: { icon: Undo2, words: 'Payment reverted' },
  payment_restored: { icon: RotateCcw, words: 'Payment restored' },
  subscription_cancelled: { icon: Ban, words: 'Subscription cancelled' },
  subscription_extended: { icon: CalendarPlus, words: 'Subscription extended' },
  alert_verified: { icon: ShieldCheck, words: 'Alert verified' },
}
