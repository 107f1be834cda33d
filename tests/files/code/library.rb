require 'set'
require_relative 'catalog/index'

# Books and who has them.
module Library
  MAX_LOANS = 3

  class Error < StandardError; end

  # A person who borrows.
  class Member
    include Comparable
    attr_reader :name, :loans

    def initialize(name)
      @name = name
      @loans = Set.new
    end

    # Borrows a book.
    def borrow(book)
      raise Error, 'too many' if loans.size >= MAX_LOANS

      loans.add(book)
      book.lend_to(self)
      log("#{name} took #{book.title}")
    end

    def self.find(name)
      Catalog::Index.new.members.find { |member| member.name == name }
    end

    def <=>(other)
      name <=> other.name
    end

    private

    def log(text)
      puts text
    end
  end

  class << self
    def open?
      true
    end
  end
end

member = Library::Member.find('Ada')
member.borrow(nil) if Library.open?
