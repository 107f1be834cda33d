import { useState } from "react";
import { type Reader } from "./types";

type Props = { reader: Reader; title?: string };

export function Title({ text }: { text: string }) {
  return <h1>{text}</h1>;
}

export const View = ({ reader, title = "none" }: Props) => {
  const [text, setText] = useState("");
  const load = () => setText(reader.read(title));
  return (
    <section onClick={load}>
      <Title text={text} />
    </section>
  );
};
