using System;
using System.Collections.Generic;
using Shop.Pricing;

namespace Shop.Orders
{
    /// <summary>Something that can be paid.</summary>
    public interface IPayable
    {
        decimal Total();
    }

    public enum State { Open, Paid }

    public record Line(string Name, decimal Price);

    [Serializable]
    public class Order : Document, IPayable
    {
        private readonly List<Line> lines = new List<Line>();
        public const int MaxLines = 100;

        public State State { get; private set; }

        public Order(string id) : base(id)
        {
            State = State.Open;
        }

        /// <summary>Adds a line.</summary>
        public void Add(Line line)
        {
            if (lines.Count >= MaxLines) throw new InvalidOperationException("full");
            lines.Add(line);
            Notify(line.Name);
        }

        public decimal Total()
        {
            decimal Sum(IEnumerable<Line> all)
            {
                decimal sum = 0;
                foreach (var line in all) sum += Discount.Apply(line.Price);
                return sum;
            }
            return Sum(lines);
        }

        private static void Notify(string name) => Console.WriteLine(name);

        public delegate void Changed(Order order);
    }

    public struct Point<T> where T : struct
    {
        public T X;
    }

    public static class Program
    {
        public static void Main()
        {
            var order = new Order("a");
            order.Add(new Line("tea", 2m));
            Console.WriteLine(order.Total());
        }
    }
}
