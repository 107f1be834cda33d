import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps, Tooltip, TooltipTrigger } from 'react-aria-components';
import styles from './button.module.css';

interface Props extends Omit<ButtonProps, 'children' | 'className' | 'style'> {
  readonly variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}

export function Button({ variant = 'plain', icon: Icon, children, ...rest }: Props) {
  return (
    <AriaButton {...rest} className={`${styles.button} ${styles[variant]}`}>
      {Icon !== undefined && <Icon size={14} aria-hidden />}
      {children}
    </AriaButton>
  );
}

interface IconProps extends Omit<ButtonProps, 'children' | 'className' | 'style'> {
  readonly icon: LucideIcon;
  /** The action of the button; shown as a tooltip and read by screen readers. */
  readonly label: string;
  readonly isOn?: boolean;
}

/** A button with only an icon. */
export function IconButton({ icon: Icon, label, isOn, ...rest }: IconProps) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton
        {...rest}
        aria-label={label}
        aria-pressed={isOn}
        className={`${styles.button} ${styles.icon} ${isOn === true ? styles.on : ''}`}
      >
        <Icon size={15} aria-hidden />
      </AriaButton>
      <Tooltip className={styles.tooltip} offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}
