Feature: 购物车
  Scenario: 总价等于小计之和
    Given 购物车里有 3 件商品
    Then 总价是 5997

  Scenario: the total is shown
    Given 购物车里有 2 件商品
    Then 总价是 3998

  Scenario Outline: takes many
    Given 购物车里有 <count> 件商品
    Then there are fewer than 100

    Examples:
      | count |
      | 1     |
      | 100   |

  @skip
  Scenario: is planned
    Given 购物车里有 1 件商品

  Scenario: has no step
    Given nobody wrote this
