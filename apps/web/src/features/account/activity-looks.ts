import type { Activity, ActivityGroup } from '@tocsin/protocol'
import {
  Ban,
  CalendarCheck,
  CalendarPlus,
  Coins,
  Download,
  KeyRound,
  Link,
  LogIn,
  LogOut,
  type LucideIcon,
  Mail,
  MailCheck,
  MonitorX,
  RotateCcw,
  Settings2,
  ShieldCheck,
  Undo2,
  Unlink,
  UserPen,
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
  wallet_unlinked: { icon: Unlink, words: 'Wallet unlinked' },
  identity_linked: { icon: Link, words: 'Sign-in linked' },
  identity_unlinked: { icon: Unlink, words: 'Sign-in unlinked' },
  password_changed: { icon: KeyRound, words: 'Password changed' },
  name_changed: { icon: UserPen, words: 'Name changed' },
  email_changed: { icon: Mail, words: 'Email changed' },
  session_ended: { icon: MonitorX, words: 'Session ended' },
  plan_paid: { icon: Coins, words: 'Plan paid' },
  payment_reverted: { icon: Undo2, words: 'Payment reverted' },
  payment_restored: { icon: RotateCcw, words: 'Payment restored' },
  subscription_cancelled: { icon: Ban, words: 'Subscription cancelled' },
  subscription_extended: { icon: CalendarPlus, words: 'Subscription extended' },
  subscription_ended: { icon: CalendarCheck, words: 'Plan ended' },
  settings_changed: { icon: Settings2, words: 'Settings changed' },
  alert_verified: { icon: ShieldCheck, words: 'Alert verified' },
  alerts_exported: { icon: Download, words: 'Alerts exported' },
}

/** What people look for in a history. */
export const groupWords: Record<ActivityGroup, string> = {
  payments: 'Payments',
  subscriptions: 'Subscriptions',
  'sign-ins': 'Sign-ins',
  alerts: 'Alerts',
  settings: 'Settings',
}
